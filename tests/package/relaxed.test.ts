/**
 * The wasm for relaxed SIMD, in Node with and without support: which entry loads it, and that it agrees with the
 * oracles. `npm run test:relaxed` runs the suites of operations and layers with it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { linear, linearBackward } from '../reference/linear.js';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward as referenceBackward } from '../reference/scaledDotProductAttentionBackward.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose, type Numbers } from '../support/close.js';
import { expectGradients } from '../support/gradientTolerance.js';
import { Random } from '../support/random.js';
import { evaluate, ROOT, temporaryFolder } from './support.js';

const dist = (name: string): string => join(ROOT, 'dist', name);
const RELAXED = 'wasm-attention-relaxed.wasm';
const PLAIN = 'wasm-attention.wasm';
const valid = evaluate(`
  import { readFileSync } from 'node:fs';
  console.log(WebAssembly.validate(readFileSync('${dist(RELAXED)}')));
`);
/** Node 20 has it behind a flag, later versions without. */
const FLAGS = valid === true ? [] : ['--experimental-wasm-relaxed-simd'];

/** Loads an entry; `features`, whether the engine takes the relaxed wasm, and the files of wasm that were read. */
const loadIn = (entry: string, flags: readonly string[], wasm?: string): unknown =>
  evaluate(
    `
    import fs from 'node:fs/promises';
    const valid = WebAssembly.validate(await fs.readFile('${dist(RELAXED)}'));
    const { readFile } = fs;
    const read = [];
    fs.readFile = (url, ...more) => (read.push(String(url).split('/').at(-1)), readFile(url, ...more));
    const { load = undefined, loadWorker = load } = await import('${dist(entry)}');
    const attention = await loadWorker(${wasm ? `{ wasm: new URL('file://${dist(wasm)}') }` : ''});
    const { data } = await attention.maskedSoftmax([[[7, 7]]]);
    console.log(JSON.stringify({ valid, simd: (await attention.features).simd, read: read.filter((name) => name.endsWith('.wasm')), data: Array.from(data) }));
    process.exit();`,
    { flags },
  );

describe('load', () => {
  test.each(FLAGS.length > 0 ? [[[]], [FLAGS]] : [[[]]])(
    'of ./slim reads the wasm that the engine can take, and no other, in node %j',
    (flags) => {
      const valid = flags === FLAGS || FLAGS.length === 0;
      expect(loadIn('slim.js', flags)).toEqual({
        valid,
        simd: valid ? 'relaxed-simd' : 'simd128',
        read: [valid ? RELAXED : PLAIN],
        data: [0.5, 0.5],
      });
    },
  );

  test('of ./slim uses it with several threads, too, with the same results to the bit', () => {
    const code = `
      import fs from 'node:fs/promises';
      const { readFile } = fs;
      const read = [];
      fs.readFile = (url, ...more) => (read.push(String(url).split('/').at(-1)), readFile(url, ...more));
      const computed = [];
      for (const threads of [1, 2, 3]) {
        const { load } = await import('${dist('slim.js')}?' + threads);
        const attention = await load({ threads });
        const x = { data: Float32Array.from({ length: 4 * 200 * 24 }, (_, i) => Math.sin(i * i)), shape: [4, 200, 24] };
        const { output } = attention.scaledDotProductAttention(x, x, x, { isCausal: true });
        const { key } = attention.scaledDotProductAttentionBackward(output, x, x, x);
        const layer = new attention.MultiHeadAttention({ numHiddens: 24, numHeads: 4, seed: 1 });
        const layered = layer.forward(x, x, x).output;
        computed.push([attention.features, [output, key, layered].map(({ data }) => Buffer.from(data.buffer).toString('base64'))]);
      }
      console.log(JSON.stringify({
        features: computed.map(([features]) => features),
        same: computed.map(([, data]) => data.every((each, i) => each === computed[0][1][i])),
        read: read.filter((name) => name.endsWith('.wasm')).sort(),
      }));`;
    const [one, several] = [RELAXED, 'wasm-attention-threads-relaxed.wasm'];
    expect(evaluate(code, { flags: FLAGS })).toEqual({
      features: [1, 2, 3].map((threads) => ({ simd: 'relaxed-simd', threads })),
      same: [true, true, true],
      read: [one, one, one, several, several],
    });
  });

  test.each(['index.js', 'slim.js', 'worker.js'])('of %s accepts either', (entry) => {
    expect(loadIn(entry, FLAGS, RELAXED)).toMatchObject({ simd: 'relaxed-simd', data: [0.5, 0.5] });
    expect(loadIn(entry, FLAGS, PLAIN)).toMatchObject({ simd: 'simd128', data: [0.5, 0.5] });
  });

  test('of the entry with the embedded wasm uses that one', () => {
    expect(loadIn('index.js', FLAGS)).toMatchObject({ valid: true, simd: 'simd128', read: [] });
  });
});

describe('with relaxed SIMD', () => {
  const random = new Random(8);
  const [query, key, value] = [
    random.tensor([2, 3, 37, 20]),
    random.tensor([2, 3, 70, 20]),
    random.tensor([2, 3, 70, 13]),
  ];
  const gradOutput = random.tensor([2, 3, 37, 13]);
  const bias = random.tensor([37, 70]);
  const mask = { data: Array.from({ length: 37 * 70 }, () => random.integer(0, 2) > 0), shape: [37, 70] };
  const validLens = { data: [41, 70], shape: [2] };
  const cases = {
    'nothing besides': {},
    'valid lengths': { validLens },
    'a mask and a bias': { mask, bias },
    causality: { isCausal: true, causalOffset: 33 },
    'a window and a softcap': { window: [9, 4] as const, causalOffset: 20, softcap: 3 },
  };
  const [x, weight, added] = [random.tensor([130, 390]), random.tensor([75, 390]), random.tensor([75])];
  const gradProduct = random.tensor([130, 75]);

  interface Computed {
    simd: string;
    attention: Record<string, { forward: object; backward: Record<string, Numbers> }>;
    product: { output: Numbers; input: Numbers; weight: number[]; bias: number[] };
  }
  const folder = temporaryFolder();
  let computed: Computed;

  beforeAll(() => {
    const file = join(folder.path, 'inputs.json');
    const plain = (_name: string, item: unknown) => (ArrayBuffer.isView(item) ? Array.from(item as never) : item);
    const inputs = { query, key, value, gradOutput, cases, x, weight, added, gradProduct };
    writeFileSync(file, JSON.stringify(inputs, plain));
    evaluate(
      `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { load } from '${dist('slim.js')}';
      const { query, key, value, gradOutput, cases, x, weight, added, gradProduct } = JSON.parse(readFileSync('${file}', 'utf8'));
      const a = await load();
      const attention = {};
      for (const [name, options] of Object.entries(cases)) {
        attention[name] = {
          forward: a.scaledDotProductAttention(query, key, value, { ...options, needWeights: true, needLogSumExp: true }),
          backward: a.scaledDotProductAttentionBackward(gradOutput, query, key, value, options),
        };
      }
      const layer = new a.Linear({ inFeatures: 390, outFeatures: 75 });
      layer.loadStateDict({ weight, bias: added });
      const { output, backward } = layer.forward(x, { training: true });
      const { input } = backward(gradProduct);
      const product = { output, input, ...Object.fromEntries(layer.parameters().map(({ name, grad }) => [name, grad])) };
      const plain = (_name, item) => (ArrayBuffer.isView(item) ? Array.from(item) : item === -Infinity ? '-Infinity' : item);
      writeFileSync('${file}', JSON.stringify({ simd: a.features.simd, attention, product }, plain));
      console.log(true);`,
      { flags: FLAGS },
    );
    computed = JSON.parse(readFileSync(file, 'utf8')) as Computed;
  });
  afterAll(() => {
    folder.remove();
  });

  test('is loaded', () => {
    expect(computed.simd).toBe('relaxed-simd');
  });

  test.each(Object.keys(cases))('attention with %s, and its gradients, agree with float64', (name) => {
    const options = cases[name as keyof typeof cases];
    const { forward, backward } = computed.attention[name]!;
    const expected = reference(query, key, value, options);
    expectAttention(forward, expected, value);
    expectGradients(backward, referenceBackward(gradOutput, query, key, value, options), expected.masked);
  });

  test('a product and its gradients agree with float64', () => {
    // A sum of n products rounds each once more: n·EPS/2 times the largest product.
    const tolerance = (terms: number) => ({ atol: (terms + 2) * EPS * 16 });
    const { output, input, ...gradients } = computed.product;
    expectClose(output, linear(x, weight, added), tolerance(390));
    const expected = linearBackward(gradProduct, x, weight);
    expectClose(input, expected.x, tolerance(75));
    expectClose({ data: gradients.weight, shape: [75, 390] }, expected.weight, tolerance(130));
    expectClose({ data: gradients.bias, shape: [75] }, expected.bias, tolerance(130));
  });
});
