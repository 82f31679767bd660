import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { ForeignImport, programOf } from '../../web/page/cells/program.js';

describe('a program', () => {
  /** Runs a program whose runtime collects what it is told, and hands out this module. */
  async function ran(code: string): Promise<{ names: unknown; line: number; seen: unknown }> {
    const { script, firstLine } = programOf(code, '/* a\nruntime */');
    let told: { body: (...modules: unknown[]) => Promise<void>; names: unknown; line: number } | undefined;
    let seen: unknown;
    const library = { load: () => 'loaded', readSafetensors: 1, default: 'none' };
    runInNewContext(script, {
      runCell: (body: (...modules: unknown[]) => Promise<void>, names: unknown, line: number) => {
        told = { body, names, line };
      },
      show: (value: unknown) => (seen = value),
    });
    await told!.body(...Array.from({ length: told!.body.length }, () => library));
    expect(told!.line).toBe(firstLine);
    expect(
      script
        .split('\n')
        .slice(firstLine - 1)
        .join('\n'),
    ).toContain('show(');
    return { names: told!.names, line: firstLine, seen };
  }

  test.each([
    ["import { load } from 'wasm-attention'; show(load());", [['load', 1]], 'loaded'],
    [
      '\nimport {\n  load as start, // comment\n  readSafetensors,\n} from "wasm-attention";\nshow(start() + readSafetensors);',
      [
        ['load', 2],
        ['readSafetensors', 2],
      ],
      'loaded1',
    ],
    ["show(all.load());\nimport * as all from 'wasm-attention';", [], 'loaded'],
    ["import 'wasm-attention';\nshow(await 1)", [], 1],
    [
      "import whole, { load } from 'wasm-attention';\nshow(whole)",
      [
        ['load', 1],
        ['default', 1],
      ],
      'none',
    ],
    ["show(\"import x from 'y'\") // import z from 'z'", [], "import x from 'y'"],
  ])('runs %j', async (code, names, seen) => {
    const result = await ran(code);
    expect({ names: result.names, seen: result.seen }).toEqual({ names, seen });
  });

  test('keeps every line of the code at its place', () => {
    const code = "import {\n  load,\n} from 'wasm-attention';\nconst x = 1;";
    const { script, firstLine, lines } = programOf(code, 'runtime');
    expect(lines).toBe(4);
    expect(script.split('\n')[firstLine - 1 + 3]).toBe('const x = 1;');
  });

  test.each([
    ["import 'fs';", 'fs', 1],
    ["\nimport { a } from './a.js';", './a.js', 2],
    ["\n\nawait import('b');", 'b', 3],
    ['const name = 1;\nimport(name);', '…', 2],
  ])('does not import what %j asks for', (code, specifier, line) => {
    const attempt = (): unknown => programOf(code, '');
    expect(attempt).toThrow(ForeignImport);
    expect(attempt).toThrow(expect.objectContaining({ specifier, line }));
  });
});
