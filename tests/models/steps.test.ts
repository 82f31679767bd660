/** The steps of a pass: those that hooks need are only there for hooks. */
import { expect, test } from '@jest/globals';
import type { Matrix } from '../../web/lib/steps/steps.js';
import { stepActions } from '../../web/lib/generated/bindings/enums.js';
import { buildProgram } from '../../web/lib/models/pass/program.js';
import type { Request } from '../../web/lib/models/pass/types.js';
import type { LayerWeights, ModelWeights, NormWeights } from '../../web/lib/models/weights/types.js';
import { checkpoint } from './fixtures.js';

const REQUEST: Request = {
  batch: 2,
  tokens: 3,
  past: 0,
  cache: undefined,
  window: undefined,
  hasMask: false,
  positions: 'counted',
  frequencies: [],
  needWeights: false,
  needHiddenStates: false,
  lastOnly: false,
  needHeads: false,
  ablate: undefined,
  ablateNeurons: undefined,
  hooks: undefined,
};

/** The actions of a pass over a checkpoint's model, whose weights could be anywhere. */
function actionsOf(name: string, changes: Partial<Request>): string[] {
  const { architecture: a } = checkpoint(name);
  const matrix = (outputs: number): Matrix => ({ packed: 16, bias: 16, inputs: 0, outputs, weightType: 0 });
  const norm: NormWeights = { weight: 16, bias: 0, weights: 1 };
  const layer = {
    query: matrix(a.heads * a.headDim),
    key: matrix(a.kvHeads * a.headDim),
    value: matrix(a.kvHeads * a.headDim),
    output: matrix(a.hiddens),
    up: matrix(a.gated ? 2 * a.ffnHiddens : a.ffnHiddens),
    down: matrix(a.hiddens),
    norm1: norm,
    norm2: norm,
    sinks: 0,
  } as unknown as LayerWeights;
  const weights = { tokens: 16, positions: 16, layers: [layer], finalNorm: norm } as unknown as ModelWeights;
  const { steps } = buildProgram(a, weights, { ...REQUEST, ...changes }, 0);
  let words: Int32Array = new Int32Array(0);
  steps.place({ ints: (list: Int32Array) => void (words = list) } as never);
  const actions: string[] = [];
  for (let at = 0; at < words.length; at += words[at + 1]! / 4) actions.push(stepActions[words[at]!]!);
  return actions;
}

const hooking = (...names: string[]): Partial<Request> => ({ hooks: new Map(names.map((name) => [name, {}])) });
const attention = ['norm', 'linear', 'linear', 'linear', 'attention', 'linear', 'add'];

test.each<[string, string[]]>([
  ['gpt2', ['embedding', 'embedding', 'add', ...attention, 'norm', 'feedForward', 'add', 'norm']],
  ['llama-grouped', ['embedding', ...attention, 'norm', 'feedForward', 'add', 'norm']],
])('a pass of %s without hooks, or with hooks that only read, has no step more than it needs', (name, expected) => {
  expect(actionsOf(name, {})).toEqual(expected);
  const readers = ['ln1.hook_normalized', 'ln2.hook_normalized', 'attn.hook_q', 'attn.hook_z', 'hook_mlp_out'];
  expect(actionsOf(name, hooking(...readers.map((hook) => `blocks.0.${hook}`)))).toEqual(expected);
  // Of another layer.
  expect(actionsOf(name, { ablateNeurons: [[1, 0]] })).toEqual(expected);
});

test.each(['mlp.hook_pre', 'mlp.hook_pre_linear', 'mlp.hook_post'])('%s opens the feed-forward network', (hook) => {
  const fed = ['linear', 'activate', 'linear'];
  expect(actionsOf('llama-grouped', hooking(`blocks.0.${hook}`))).toEqual([
    'embedding',
    ...attention,
    'norm',
    ...fed,
    'add',
    'norm',
  ]);
});

test('neurons and heads that are ablated are zeroed', () => {
  const actions = actionsOf('gpt2', {
    ablate: [[0, 1]],
    ablateNeurons: [
      [0, 3],
      [0, 9],
    ],
  });
  const [before, after] = [attention.slice(0, 5), attention.slice(5)];
  const fed = ['linear', 'activate', 'zeroHead', 'zeroHead', 'linear'];
  expect(actions).toEqual([
    'embedding',
    'embedding',
    'add',
    ...before,
    'zeroHead',
    ...after,
    'norm',
    ...fed,
    'add',
    'norm',
  ]);
});
