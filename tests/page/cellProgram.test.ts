import { describe, expect, test } from '@jest/globals';
import { ForeignImport, partsOf } from '../../web/page/cells/program.js';

describe('a program', () => {
  test.each([
    ["import { load } from 'wasm-attention'; show(load());", 'import { load } from |; show(load());'],
    [
      '\nimport {\n  load as start, // comment\n} from "wasm-attention";\nstart();',
      '\nimport {\n  load as start, // comment\n} from |;\nstart();',
    ],
    ["show(1);\nimport * as all from 'wasm-attention';", 'show(1);\nimport * as all from |;'],
    ["import 'wasm-attention';", 'import |;'],
    ["import a from 'wasm-attention'; import 'wasm-attention'", 'import a from |; import |'],
    ["export * from 'wasm-attention';", 'export * from |;'],
    ["export { load } from 'wasm-attention';", 'export { load } from |;'],
    ["await import('wasm-attention');", 'await import(|);'],
    ["export default 'fs';", "export default 'fs';"],
    ["show(\"import x from 'y'\") // import z from 'z'", "show(\"import x from 'y'\") // import z from 'z'"],
    ['import { load } from', 'import { load } from'],
    ['let x = ;', 'let x = ;'],
  ])('%j names the library at each |', (code, marked) => {
    expect(partsOf(code).join('|')).toBe(marked);
  });

  test.each([
    ["import 'fs';", 'fs', 1],
    ["\nimport { a } from './a.js';", './a.js', 2],
    ["\n\nawait import('b');", 'b', 3],
    ['const name = 1;\nimport(name);', '…', 2],
    ["export * from './b.js';", './b.js', 1],
  ])('does not import what %j asks for', (code, specifier, line) => {
    const attempt = (): unknown => partsOf(code);
    expect(attempt).toThrow(ForeignImport);
    expect(attempt).toThrow(expect.objectContaining({ specifier, line }));
  });
});
