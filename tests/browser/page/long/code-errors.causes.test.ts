import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, verdictOf } from '../../cells.js';

const { open, expectErrors } = useBrowser();

describe('failing code', () => {
  test.each([
    ['throws', "\n\nthrow new RangeError('too far');", 'Line 3: RangeError: too far'],
    ['throws a string', "throw 'a word';", 'a word'],
    [
      'throws in a function, with its line',
      'const f = () => {\n  null.x;\n};\nf();',
      "Line 2: TypeError: Cannot read properties of null (reading 'x')",
    ],
    [
      'makes the library throw, with the line of the call',
      "import { load } from 'wasm-attention';\nconst { sinusoidalEncoding } = await load();\n\nsinusoidalEncoding({ length: -1, dim: 4 });",
      /^Line 4: RangeError: sinusoidalEncoding: /,
    ],
    [
      'throws later',
      'setTimeout(() => {\n  x();\n});\nawait new Promise(() => {});',
      'Line 2: ReferenceError: x is not defined',
    ],
    [
      'has an unhandled rejection',
      '\nPromise.reject(new Error("no"));\nawait new Promise(() => {});',
      'Line 2: Error: no',
    ],
    ['is not JavaScript', 'show(1);\nlet x = ;', "Line 2: SyntaxError: Unexpected token ';'"],
    ['ends too early', 'show(1);\nif (true) {', /^Line 2: SyntaxError: /],
    [
      'declares twice',
      "import { load } from 'wasm-attention';\nconst a = 1;\nconst a = 2;",
      "Line 3: SyntaxError: Identifier 'a' has already been declared",
    ],
    [
      'asks for another kind',
      "\nshow([1], { kind: 'pie' });",
      "Line 2: TypeError: show: expected kind to be 'heatmap', 'lines' or 'text', got pie",
    ],
    [
      'imports something else',
      "\nimport fs from 'node:fs';",
      'Line 2: only “wasm-attention” can be imported here, not “node:fs”.',
    ],
    [
      'imports something else later',
      "await import('./main.js');",
      'Line 1: only “wasm-attention” can be imported here, not “./main.js”.',
    ],
    [
      'imports a missing name',
      "import { attend } from 'wasm-attention';",
      "Line 1: SyntaxError: The requested module 'wasm-attention' does not provide an export named 'attend'",
    ],
    ['posts a message', "postMessage('x');", 'Line 1: ReferenceError: postMessage is not defined'],
    ['fetches', "await fetch('/');", 'Line 1: ReferenceError: fetch is not defined'],
  ])('that %s gets an error with its line', async (_, code, message) => {
    const { cell } = await cellWith(open, code, { limit: 3000 });
    const said = await verdictOf(cell);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test.each([
    ['lists', 'const kept = [];\nfor (;;) kept.push(new Array(1e6).fill(kept.length));'],
    ['objects', 'const kept = [];\nfor (;;) kept.push({ a: kept.length });'],
    ['typed arrays', 'const kept = [];\nfor (;;) kept.push(new Float64Array(1e7).fill(1));'],
    ['large typed arrays', 'const kept = [];\nfor (;;) kept.push(new Float32Array(2 ** 27));'],
    ['typed arrays in a set', 'const kept = new Set();\nfor (;;) kept.add(new Uint8Array(1e8));'],
  ])('that allocates endless %s is stopped, and the page survives', async (_, code) => {
    const { page, cell } = await cellWith(open, code);
    expect(await verdictOf(cell)).toMatch(
      /^(Line 2: RangeError: expected at most 1 GB of memory in one run, got more|Line 2: RangeError: Array buffer allocation failed|Stopped: the code was still running after 10 seconds\.)$/,
    );
    expect(await page.evaluate(() => document.readyState)).toBe('complete');
  });
});

/** Replaces the worker in the cell's frame by one that runs this statement. */
const withWorker = (statement: string): string => {
  const worker = `onmessage = ({ ports: [port] }) => { const postMessage = (data) => port.postMessage(data); ${statement}; };`;
  return `
    const Real = Worker;
    self.Worker = class extends Real {
      constructor() {
        super(URL.createObjectURL(new Blob([${JSON.stringify(worker)}])));
      }
    };`;
};

describe('a malicious worker', () => {
  test.each([
    ['is not an object', "postMessage('done')"],
    ['is of an unknown type', "postMessage({ type: 'html', text: '<b>' })"],
    ['has a text that is not a string', "postMessage({ type: 'text', text: { toString: 1 } })"],
    ['has too long a text', "postMessage({ type: 'text', text: 'x'.repeat(1e6) })"],
    ['has too few values', "postMessage({ type: 'heatmap', values: new Float32Array(3), rows: 2, columns: 2 })"],
    [
      'has too many values',
      "postMessage({ type: 'heatmap', values: new Float32Array(2 ** 20), rows: 1024, columns: 1024 })",
    ],
    ['has values that are not numbers', "postMessage({ type: 'heatmap', values: ['a'], rows: 1, columns: 1 })"],
    [
      'has columns that do not exist',
      "postMessage({ type: 'lines', values: new Float32Array(4), rows: 2, columns: 2, shown: [2] })",
    ],
    ['is "started" endlessly', "for (;;) postMessage({ type: 'started' })"],
    ['is "cut" endlessly', "for (;;) postMessage({ type: 'cut' })"],
    ['is an error', 'postMessage(new Error())'],
  ])('is stopped if its message %s', async (_, statement) => {
    const { cell } = await cellWith(open, 'show(1);', { limit: 3000, script: withWorker(statement) });
    expect(await verdictOf(cell)).toBe('Stopped: the code sent something that is not output.');
  });

  test('gets an error if it throws what it does not catch', async () => {
    const script = withWorker("postMessage({ type: 'started' }); throw new Error('unexpected')");
    const { cell } = await cellWith(open, 'show(1);', { limit: 3000, script });
    expect(await verdictOf(cell)).toBe('Line 1: Uncaught Error: unexpected');
    expectErrors(/unexpected/);
  });

  test.each([
    ['logs', 200, "for (;;) postMessage({ type: 'log', text: 'x' })"],
    ['outputs', 200, "for (let i = 0; i < 1000; i++) postMessage({ type: 'text', text: 'x' })"],
    ['characters', 2, "for (let i = 0; i < 9; i++) postMessage({ type: 'text', text: 'x'.repeat(50_000) })"],
    [
      'numbers',
      4,
      "for (let i = 0; i < 9; i++) postMessage({ type: 'heatmap', values: new Float32Array(2 ** 18), rows: 512, columns: 512 })",
    ],
  ])('shows no more %s than the page allows', async (_, count, statement) => {
    const { cell } = await cellWith(open, 'show(1);', { limit: 3000, script: withWorker(statement) });
    expect(await verdictOf(cell)).toBe('There was more output than fits here. The rest is left out.');
    expect(await cell.locator('.output > *').count()).toBe(count);
  });
});
