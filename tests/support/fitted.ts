import type { Tensor } from 'wasm-attention';

/**
 * The tensors without those that do not belong to the model, and with new ones in place of those that are missing or of
 * another shape, as the messages of `open` say.
 *
 * @param make makes the numbers of a tensor
 */
export async function fitted(
  open: (weights: Record<string, Tensor>) => Promise<unknown>,
  given: Record<string, Tensor>,
  make: (name: string, shape: number[]) => Tensor,
): Promise<Record<string, Tensor>> {
  const weights = { ...given };
  for (;;) {
    const message = await open(weights).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    const missing = /a tensor '(.*)', got none$/.exec(message);
    const more = /no tensor '(.*)' in \S+, got one$/.exec(message);
    const wrong = /'(.*)' of shape \((.*)\), got/.exec(message);
    if (missing) weights[missing[1]!] = make(missing[1]!, [1]);
    else if (wrong) weights[wrong[1]!] = make(wrong[1]!, wrong[2]!.split(',').filter(Boolean).map(Number));
    else if (more) Reflect.deleteProperty(weights, more[1]!);
    else if (message) throw new Error(message);
    else return weights;
  }
}
