import { describe, expect, test } from '@jest/globals';
import { putCell } from '../../browser/cells.js';
import type { Visit } from '../visit.js';

const LIBRARY = "import { load } from 'wasm-attention';\nconst { tensor } = await load();\n";
const LATE = 'Stopped: the code was still running after 0.7 seconds.';

export function checkCells(visit: Visit): void {
  describe.each([
    ['plain', false],
    ['cross-origin isolated', true],
  ])('on a %s host, a cell', (_, isolated) => {
    const open = async (code: string, limit = 20_000): Promise<void> => {
      await visit.open('/en/code-cell', { isolated });
      expect(await visit.browser.run(() => crossOriginIsolated)).toBe(isolated);
      await visit.browser.run(putCell, [code, limit] as const);
      await visit.click('.run');
    };
    const over = (): Promise<void> => visit.browser.until(() => findAll('.run')[0]?.textContent.trim() === 'Run');
    const outcome = (): Promise<readonly string[]> =>
      visit.browser.run(() => findAll('p[role=status], .output pre').map(({ textContent }) => textContent.trim()));

    test.each([
      [
        'uses the library and shows its output',
        `${LIBRARY}show(tensor([[1, 2]]).shape);`,
        20_000,
        ['Done. Outputs: 1.', '[1, 2]'],
      ],
      [
        'names the line of what is thrown',
        "\n\nthrow new RangeError('too far');",
        20_000,
        ['Line 3: RangeError: too far'],
      ],
      ['stops at its limit', "show('before');\nwhile (true);", 700, [LATE, 'before']],
    ])('%s', async (_, code, limit, wanted) => {
      await open(code, limit);
      await over();
      expect(await outcome()).toEqual(wanted);
    });

    test.each([
      ['a syntax error', 'show(1);\nlet x = ;', /^Line 2: SyntaxError: /],
      // Browsers call it differently.
      ['an endless recursion', 'const f = () => f() + 1;\nf();', /^Line 1: (RangeError|InternalError): /],
      [
        'one that comes later',
        'const f = () => f() + 1;\nsetTimeout(f);\nawait new Promise(() => {});',
        /^Line 1: .*(recursion|call stack)/,
      ],
    ])('names the line of %s', async (_, code, said) => {
      await open(code);
      await over();
      expect((await outcome())[0]).toMatch(said);
    });

    test('stops when it is told to', async () => {
      await open("show('before');\nwhile (true);");
      await visit.browser.until(() => findAll('.output pre').length > 0);
      await visit.click('.run');
      await over();
      expect(await outcome()).toEqual(['Stopped.', 'before']);
    });
  });
}
