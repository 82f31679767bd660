import { output, read } from './support.js';

/** The JavaScript in a Markdown file. */
const programs = (file: string) =>
  Array.from(read(file).matchAll(/^```js\n(.*?)^```/gms), ([, code]) => code!);

/** What the comments behind console.log say that it prints. */
const promised = (code: string) =>
  Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, text]) => text);

describe('README and guides', () => {
  it.each([...programs('README.md'), ...programs('web/docs/choosing-positions.md')])(
    'show a program that prints what it says: %#',
    (code) => {
      const printed = output('node', ['--input-type=module', '--eval', code]).trimEnd().split('\n');
      expect(promised(code).length).toBeGreaterThan(0);
      expect(printed).toEqual(promised(code));
    },
  );

  it('name no script that package.json does not have', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = Array.from(
      `${read('README.md')}${read('CONTRIBUTING.md')}`.matchAll(/npm (?:run )?([a-z]+(?::[a-z]+)?)\b/g),
      ([, name]) => name!,
    ).filter((name) => !['ci', 'pack', 'run', 'scripts', 'package'].includes(name));
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
    expect(named).toEqual(expect.arrayContaining(['start', 'test']));
  });
});
