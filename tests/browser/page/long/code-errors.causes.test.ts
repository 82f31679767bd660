import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, verdictOf } from '../../cells.js';

const { open } = useBrowser();

describe('code that goes wrong', () => {
  test.each([
    ['throws', "\n\nthrow new RangeError('too far');", 'Line 3: RangeError: too far'],
    ['throws no error', "throw 'a word';", 'a word'],
    [
      'throws in a function, named by its line',
      'const f = () => {\n  null.x;\n};\nf();',
      "Line 2: TypeError: Cannot read properties of null (reading 'x')",
    ],
    [
      'lets the library throw, named by the line that called it',
      "import { load } from 'wasm-attention';\nconst { sinusoidalEncoding } = await load();\n\nsinusoidalEncoding({ length: -1, dim: 4 });",
      /^Line 4: RangeError: sinusoidalEncoding: /,
    ],
    [
      'throws later',
      'setTimeout(() => {\n  x();\n});\nawait new Promise(() => {});',
      'Line 2: ReferenceError: x is not defined',
    ],
    ['rejects alone', '\nPromise.reject(new Error("no"));\nawait new Promise(() => {});', 'Line 2: Error: no'],
    ['is no JavaScript', 'show(1);\nlet x = ;', "Line 2: SyntaxError: Unexpected token ';'"],
    ['ends too early', 'show(1);\nif (true) {', /^Line 2: SyntaxError: /],
    [
      'declares twice',
      "import { load } from 'wasm-attention';\nconst a = 1;\nconst a = 2;",
      "Line 3: SyntaxError: Identifier 'a' has already been declared",
    ],
    ['shows what cannot be shown', '\nshow(undefined);', /^Line 2: TypeError: show: expected .*, got undefined$/],
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
      'imports a name that is not there',
      "import { attend } from 'wasm-attention';",
      "Line 1: SyntaxError: The requested module 'wasm-attention' does not provide an export named 'attend'",
    ],
    ['posts something else', "postMessage('x');", 'Line 1: ReferenceError: postMessage is not defined'],
    ['fetches', "await fetch('/');", 'Line 1: ReferenceError: fetch is not defined'],
  ])('and %s is told what and where', async (_, code, message) => {
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
  ])('and takes memory without end, as %s, is stopped, and the page lives', async (_, code) => {
    const { page, cell } = await cellWith(open, code);
    expect(await verdictOf(cell)).toMatch(
      /^(Line 2: RangeError: expected at most 1 GB of memory in one run, got more|Line 2: RangeError: Array buffer allocation failed|Stopped: the code was still running after 10 seconds\.)$/,
    );
    expect(await page.evaluate(() => document.readyState)).toBe('complete');
  });
});

/** Puts a worker that sends something else in place of the one in the cell's frame. */
const lying = (statement: string): string => {
  const worker = `onmessage = ({ ports: [port] }) => { const postMessage = (data) => port.postMessage(data); ${statement}; };`;
  return `
    const Real = Worker;
    self.Worker = class extends Real {
      constructor() {
        super(URL.createObjectURL(new Blob([${JSON.stringify(worker)}])));
      }
    };`;
};

describe('a worker that lies', () => {
  test.each([
    ['is no object', "postMessage('done')"],
    ['is of no known type', "postMessage({ type: 'html', text: '<b>' })"],
    ['has text that is none', "postMessage({ type: 'text', text: { toString: 1 } })"],
    ['has text without end', "postMessage({ type: 'text', text: 'x'.repeat(1e6) })"],
    ['has too few values', "postMessage({ type: 'heatmap', values: new Float32Array(3), rows: 2, columns: 2 })"],
    [
      'has values without end',
      "postMessage({ type: 'heatmap', values: new Float32Array(2 ** 20), rows: 1024, columns: 1024 })",
    ],
    ['has no numbers', "postMessage({ type: 'heatmap', values: ['a'], rows: 1, columns: 1 })"],
    [
      'has columns that are not there',
      "postMessage({ type: 'lines', values: new Float32Array(4), rows: 2, columns: 2, shown: [2] })",
    ],
    ['comes for ever', "for (;;) postMessage({ type: 'log', text: 'x' })"],
    ['starts for ever', "for (;;) postMessage({ type: 'started' })"],
    ['is cut for ever', "for (;;) postMessage({ type: 'cut' })"],
    ['is an error', 'postMessage(new Error())'],
    ['comes without end', "for (let i = 0; i < 1000; i++) postMessage({ type: 'text', text: 'x' })"],
  ])('is stopped where its message %s', async (_, statement) => {
    const { cell } = await cellWith(open, 'show(1);', { limit: 3000, script: lying(statement) });
    expect(await verdictOf(cell)).toBe('Stopped: the code sent something that is not output.');
  });
});
