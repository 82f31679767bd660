import { disposeSymbol } from '../runtime/dispose.js';
import type { Tensor, TensorLike } from '../types.js';
import type { PositionKind } from './config/architecture.js';
import type { Passes } from './pass/passes.js';
import { unembed } from './pass/unembed.js';
import type { ModelFacts, UnembedOptions } from './types.js';

/** What models of tokens and of pictures have in common. */
export class OpenedModel implements ModelFacts {
  readonly family: string;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numHiddens: number;
  readonly vocabSize: number;
  readonly maxLength: number;
  readonly isCausal: boolean;
  readonly positionKind: PositionKind;
  readonly labels?: readonly string[] | undefined;
  readonly logitScale: number | undefined;
  readonly logitBias: number | undefined;
  readonly parameterBytes: number;
  readonly unused: readonly string[];
  readonly #passes: Passes;

  constructor(passes: Passes, unused: readonly string[]) {
    const { architecture, weights, wasm } = passes;
    const numberAt = (address: number): number | undefined =>
      address === 0 ? undefined : wasm.memory.read(address, 1)[0];
    this.family = architecture.family;
    this.numLayers = architecture.layers;
    this.numHeads = architecture.heads;
    this.numHiddens = architecture.hiddens;
    this.vocabSize = architecture.vocab;
    this.maxLength = architecture.maxLength;
    this.isCausal = architecture.causal;
    this.positionKind = architecture.positionKind;
    this.labels = weights.head?.labels;
    this.logitScale = numberAt(weights.logitScale);
    this.logitBias = numberAt(weights.logitBias);
    this.parameterBytes = passes.bytes;
    this.unused = Object.freeze(unused);
    this.#passes = passes;
  }

  unembed(residual: TensorLike, options?: UnembedOptions): Tensor {
    return unembed(this.#passes, residual, options);
  }

  dispose(): void {
    this.#passes.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}
