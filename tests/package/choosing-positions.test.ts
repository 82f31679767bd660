/** The guide to positions: its lines of code run, and it has every operation. */
import { evaluate, read } from './support.js';

const guide = read('web/docs/choosing-positions.md');
const [setUp] = Array.from(guide.matchAll(/^```js\n(.*?)^```/gms), ([, code]) => code!);

/** Scheme and last cell of the table's rows. */
const lines = Array.from(guide.matchAll(/^\| (\w[^|]*?) *\|.*\| `([^`]+)` *\|$/gm), ([, scheme, code]) => ({
  scheme: scheme!,
  code: code!,
}));

/** The shapes of the lines' results, all from one run of the guide's program. */
const shapes = evaluate(
  `${setUp!.replace(/^console\.log.*$/m, '')}
  const shape = (result) => (result.output ?? result).shape;
  console.log(JSON.stringify([${lines.map(({ code }) => `shape(${code})`).join(', ')}]));`,
) as number[][];

describe('the guide to positions', () => {
  it.each(lines.map((line, i) => ({ ...line, shape: shapes[i] })))('runs $scheme', ({ shape }) => {
    const tokens = [
      [2, 60, 32],
      [2, 4, 60, 8],
      [60, 32],
    ];
    expect(tokens).toContainEqual(shape);
  });

  it('compares eight schemes, each with its paper', () => {
    expect(lines).toHaveLength(8);
    expect(guide.match(/et al\. (19|20)\d\d/g)!.length).toBeGreaterThanOrEqual(8);
  });

  it('is linked from the README', () => {
    expect(read('README.md')).toContain('web/docs/choosing-positions.md');
  });
});
