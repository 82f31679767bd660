import { wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import type { Place } from '../pass/types.js';
import type { Store } from './store.js';
import type { Matrix } from '../../steps/steps.js';
import type { Classifier, HeadPass } from './types.js';

interface Head {
  readonly map: Matrix | undefined;
  readonly activation: 'tanh' | 'relu' | 'none';
  readonly decoder: Matrix;
  /** What it reads: the pooled first token, the first or the last token, or each one. */
  readonly reads: 'pooled' | 'first' | 'last' | 'each';
}

/** The head that sorts sequences or tokens: `classifier` of BERT's kin, `score` of decoders. */
export function classifier(store: Store, tensors: Tensors, a: Architecture): Classifier | undefined {
  const head = headOf(store, tensors, a);
  return head && ((pass) => build(head, a.hiddens, pass));
}

function headOf(store: Store, tensors: Tensors, a: Architecture): Head | undefined {
  const classes = (name: string): number => {
    const [count = 0] = tensors.shapeOf(`${name}.weight`);
    if (count < 1) wrongValue(OPERATION, `'${name}.weight' of at least one class`, count);
    return count;
  };
  const linear = (name: string, inputs = a.hiddens, outputs = classes(name)): Matrix =>
    // Decoders that sort sequences have no bias.
    store.linear(name, inputs, outputs, name !== 'score' || tensors.has('score.bias'));
  const sortsTokens = a.head.endsWith('ForTokenClassification');
  if (a.causal) {
    const name = ['score', 'classifier'].find((name) => tensors.has(`${name}.weight`));
    if (name === undefined) return undefined;
    const decoder = linear(name);
    return { map: undefined, decoder, activation: 'none', reads: sortsTokens ? 'each' : 'last' };
  }
  const first = ['classifier.dense', 'pre_classifier'].find((name) => tensors.has(`${name}.weight`));
  const last = first === 'classifier.dense' ? 'classifier.out_proj' : 'classifier';
  if (!tensors.has(`${last}.weight`)) return undefined;
  const map = first === undefined ? undefined : linear(first, a.hiddens, a.hiddens);
  const decoder = linear(last);
  if (map) {
    const activation = first === 'pre_classifier' ? 'relu' : 'tanh';
    return { map, decoder, activation, reads: 'first' };
  }
  const pooler = a.names.pooler;
  const each = sortsTokens || pooler === undefined || !tensors.has(`${pooler}.weight`);
  return { map, decoder, activation: 'none', reads: each ? 'each' : 'pooled' };
}

function build({ map, activation, decoder, reads }: Head, width: number, pass: HeadPass): Place {
  const { layout, steps, linear } = pass;
  const { batch, tokens, lastOnly } = pass.request;
  const isEach = reads === 'each';
  const count = isEach && !lastOnly ? batch * tokens : batch;
  let x =
    isEach && !lastOnly
      ? pass.hidden
      : reads === 'pooled'
        ? pass.pooled!.address
        : pass.rowsOf(reads === 'first' ? 'first' : 'last');
  if (map) {
    const mapped = layout.floats(count * width);
    linear(x, map, mapped, count);
    if (activation !== 'none') steps.activate(mapped, activation, count, width);
    x = mapped;
  }
  const address = layout.floats(count * decoder.outputs);
  linear(x, decoder, address, count);
  const rows = lastOnly ? 1 : tokens;
  return { address, shape: isEach ? [batch, rows, decoder.outputs] : [batch, decoder.outputs] };
}
