import { evaluate, read } from './support.js';

const FLAGS = ['--disallow-code-generation-from-strings'];

const COMPUTE = `
  const attention = await load();
  console.log(JSON.stringify(Array.from(attention.maskedSoftmax([[[1, 2, 3]]], [2]).data)));
`;
// e / (1 + e) by hand.
const EXPECTED = [0.2689414213699951, 0.7310585786300049, 0];

describe('under a content security policy without unsafe-eval', () => {
  it('really forbids code from strings', () => {
    const code = `
      let refused = false;
      try { new Function('return 1'); } catch (error) { refused = error instanceof EvalError; }
      console.log(refused);
    `;
    expect(evaluate(code, { flags: FLAGS })).toBe(true);
    expect(evaluate(code)).toBe(false);
  });

  it.each(['wasm-attention', 'wasm-attention/slim'])('%s loads and computes', (entry) => {
    const result = evaluate(`import { load } from '${entry}'; ${COMPUTE}`, { flags: FLAGS }) as number[];
    expect(result).toHaveLength(3);
    result.forEach((weight, i) => {
      // One exp, one sum and one division in float32, each within an ulp of numbers below 1.
      expect(Math.abs(weight - EXPECTED[i]!)).toBeLessThanOrEqual(4 * 2 ** -24);
    });
  });

  it.each(['dist/index.js', 'dist/slim.js'])('%s builds no code from strings', (file) => {
    expect(read(file)).not.toMatch(/new Function\b|\beval\(|\bFunction\(/);
  });
});
