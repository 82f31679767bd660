export interface AdamReferenceOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  maxGradNorm: number;
}

/** torch.nn.utils.clip_grad_norm_ and torch.optim.Adam's step in float64, in place. */
export class AdamReference {
  lr: number;
  readonly #options: AdamReferenceOptions;
  readonly #means: Float64Array[];
  readonly #squares: Float64Array[];
  #steps = 0;

  constructor(sizes: readonly number[], options: AdamReferenceOptions) {
    this.lr = options.lr;
    this.#options = options;
    this.#means = sizes.map((size) => new Float64Array(size));
    this.#squares = sizes.map((size) => new Float64Array(size));
  }

  step(parameters: readonly Float64Array[], gradients: readonly ArrayLike<number>[]): void {
    const { betas, eps, weightDecay, maxGradNorm } = this.#options;
    this.#steps += 1;
    let squares = 0;
    for (const gradient of gradients) for (const g of Array.from(gradient)) squares += g * g;
    const factor = Math.min(1, maxGradNorm / (Math.sqrt(squares) + 1e-6));
    parameters.forEach((parameter, p) => {
      const [mean, square] = [this.#means[p]!, this.#squares[p]!];
      for (let i = 0; i < parameter.length; ++i) {
        const g = gradients[p]![i]! * factor + weightDecay * parameter[i]!;
        mean[i] = betas[0] * mean[i]! + (1 - betas[0]) * g;
        square[i] = betas[1] * square[i]! + (1 - betas[1]) * g * g;
        const meanHat = mean[i]! / (1 - betas[0] ** this.#steps);
        const squareHat = square[i]! / (1 - betas[1] ** this.#steps);
        parameter[i]! -= (this.lr * meanHat) / (Math.sqrt(squareHat) + eps);
      }
    });
  }
}
