import { describe, expect, test } from '@jest/globals';
import { MAX_CHARACTERS, MAX_VALUES, readMessage, type CellMessage } from '../../web/page/cells/messages.js';

describe('a message', () => {
  test.each<CellMessage>([
    { type: 'started' },
    { type: 'done' },
    { type: 'cut' },
    { type: 'text', text: '' },
    { type: 'log', text: 'x' },
    { type: 'failed', name: 'Error', message: 'm', line: 3 },
    { type: 'failed', name: '', message: 'm', line: undefined },
    { type: 'foreign', specifier: 'fs', line: 2 },
    { type: 'heatmap', values: new Float32Array(6), rows: 2, columns: 3 },
    { type: 'lines', values: new Float64Array(6), rows: 2, shown: [0, 2, 7] },
  ])('is read: %j', (message) => {
    expect(readMessage(message)).toEqual(message);
    expect(readMessage({ ...message, more: 1 })).toEqual(message);
  });

  test.each([
    null,
    undefined,
    'done',
    {},
    { type: 'text' },
    { type: 'text', text: 1 },
    { type: 'text', text: 'x'.repeat(MAX_CHARACTERS + 1) },
    { type: 'failed', name: 'E', message: {} },
    { type: 'foreign', specifier: 'fs' },
    { type: 'foreign', specifier: ['fs'], line: 1 },
    { type: 'foreign', specifier: 'fs', line: '<b>' },
    { type: 'heatmap', values: [1], rows: 1, columns: 1 },
    { type: 'heatmap', values: new Float32Array(1), rows: -1, columns: -1 },
    { type: 'heatmap', values: new Float32Array(2), rows: 1, columns: 1 },
    { type: 'heatmap', values: new Float32Array(MAX_VALUES + 1), rows: 1, columns: MAX_VALUES + 1 },
    { type: 'lines', values: new Float32Array(1), rows: 1 },
    { type: 'lines', values: new Float32Array(1), rows: 1, shown: ['0'] },
    { type: 'lines', values: new Float32Array(1), rows: 1, shown: [-1] },
    { type: 'lines', values: new Float32Array(1), rows: 1, shown: [0, 1] },
  ])('is refused: %#', (message) => {
    expect(readMessage(message)).toBeUndefined();
  });
});
