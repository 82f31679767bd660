/** What comes after the layers: logits and the pooled vector. */
import type { Matrix, Steps } from '../../steps/steps.js';
import type { Architecture } from '../config/architecture.js';
import type { HeadPass, ModelWeights, NormWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import type { Place, Program, Request } from './types.js';

interface HeadTools {
  readonly hidden: number;
  readonly inputs: Program['inputs'];
  readonly layout: Layout;
  readonly steps: Steps;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly norm: (x: number, weights: NormWeights, out: number, count?: number, inputs?: number) => void;
}

export function buildHeads(
  a: Architecture,
  w: ModelWeights,
  request: Request,
  { hidden, inputs, layout, steps, linear, norm }: HeadTools,
): Pick<Program, 'logits' | 'pooled'> {
  const { batch, tokens, lastOnly } = request;
  const d = a.hiddens;
  const rowsOf: HeadPass['rowsOf'] = (which) => {
    const out = layout.floats(batch * d);
    steps.embedding({ ids: inputs[which], table: hidden, out, count: batch, dim: d, packedRows: 0, weightType: 0 });
    return out;
  };
  let pooled: Place | undefined;
  if (w.pooler) {
    const address = layout.floats(batch * d);
    linear(rowsOf('first'), w.pooler, address, batch);
    steps.activate(address, 'tanh', batch, d);
    pooled = { address, shape: [batch, d] };
  }
  const { predictions, classifier } = w;
  if (classifier) return { pooled, logits: classifier({ request, layout, steps, hidden, rowsOf, linear, pooled }) };
  if (!predictions) return { pooled, logits: undefined };
  const some = lastOnly ? batch : batch * tokens;
  let x = lastOnly ? rowsOf('last') : hidden;
  const width = a.embedding;
  if (predictions.map) {
    const mapped = layout.floats(some * width);
    linear(x, predictions.map, mapped, some);
    steps.activate(mapped, a.headActivation!, some, width);
    norm(mapped, predictions.norm!, mapped, some, width);
    x = mapped;
  }
  const address = layout.floats(some * a.vocab);
  linear(x, predictions.decoder, address, some);
  return { pooled, logits: { address, shape: [batch, lastOnly ? 1 : tokens, a.vocab] } };
}
