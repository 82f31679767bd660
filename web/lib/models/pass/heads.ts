/** What comes after the layers: logits and the pooled vector. */
import type { Word } from '../../generated/bindings/args.js';
import { activations } from '../../generated/bindings/enums.js';
import type { Architecture } from '../config/architecture.js';
import type { Matrix, ModelWeights, NormWeights } from '../weights/types.js';
import type { Builder } from './builder.js';
import type { Place, Program, Request } from './types.js';

interface HeadTools {
  readonly hidden: number;
  readonly last: number;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly norm: (x: number, weights: NormWeights, out: number, count?: number, inputs?: number) => void;
}

export function buildHeads(
  a: Architecture,
  w: ModelWeights,
  request: Request,
  builder: Builder,
  { hidden, last, linear, norm }: HeadTools,
): Pick<Program, 'logits' | 'pooled'> {
  const { batch, tokens, lastOnly } = request;
  const d = a.hiddens;
  const tanh = (x: number, rows: number): void => builder.step('tanh', { x, out: x, rows, inputs: d });
  /** One row of each sequence: the first, or the last that is no padding. */
  const rowsOf = (which: 'first' | 'last'): number => {
    const some = builder.floats(batch * d);
    const ids =
      which === 'last'
        ? last
        : builder.struct(
            Array.from({ length: batch }, (_, b) => [b as Word, b * tokens] as const),
            batch,
          );
    builder.step('gather', { x: ids, weight: hidden, out: some, rows: batch, inputs: d });
    return some;
  };
  let pooled: Place | undefined;
  if (w.pooler) {
    const address = builder.floats(batch * d);
    linear(rowsOf('first'), w.pooler, address, batch);
    tanh(address, batch);
    pooled = { address, shape: [batch, d] };
  }
  const { predictions, classifier } = w;
  if (classifier) {
    return { pooled, logits: classifier({ request, builder, hidden, rowsOf, linear, tanh, pooled }) };
  }
  if (!predictions) return { pooled, logits: undefined };
  const some = lastOnly ? batch : batch * tokens;
  let x = lastOnly ? rowsOf('last') : hidden;
  const width = a.embedding;
  if (predictions.map) {
    const mapped = builder.floats(some * width);
    linear(x, predictions.map, mapped, some);
    builder.step('activate', {
      x: mapped,
      out: mapped,
      rows: some,
      inputs: width,
      option: activations.indexOf(a.headActivation!),
    });
    norm(mapped, predictions.norm!, mapped, some, width);
    x = mapped;
  }
  const address = builder.floats(some * a.vocab);
  linear(x, predictions.decoder, address, some);
  return { pooled, logits: { address, shape: [batch, lastOnly ? 1 : tokens, a.vocab] } };
}
