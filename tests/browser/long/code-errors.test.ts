import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../browser.js';
import { cellWith, verdictOf } from '../cells.js';

const { open } = useBrowser();

describe('code that goes wrong', () => {
  test.each([
    ['lists', 'const kept = [];\nfor (;;) kept.push(new Array(1e6).fill(kept.length));'],
    ['objects', 'const kept = [];\nfor (;;) kept.push({ a: kept.length });'],
    ['typed arrays', 'const kept = [];\nfor (;;) kept.push(new Float32Array(2 ** 27));'],
  ])('and takes memory without end, as %s, is stopped, and the page lives', async (_, code) => {
    const { page, cell } = await cellWith(open, code);
    expect(await verdictOf(cell)).toMatch(
      /^(Line 2: RangeError: expected at most [14] GB of memory in one run, got more|Line 2: RangeError: Array buffer allocation failed|Stopped: the code was still running after 10 seconds\.)$/,
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
    [
      'has too few values',
      "postMessage({ type: 'heatmap', values: new Float32Array(3), rows: 2, columns: 2 })",
    ],
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
    expect(await verdictOf(cell)).toBe('Stopped: the code sent something that is no output.');
  });
});
