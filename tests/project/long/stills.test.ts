import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, temporaryFolder } from '../../package/support.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const HTML = `<!doctype html><title>Page</title>
<figure id="fig-map"><some-figure></some-figure>
<figcaption><strong id="fig-map-question">What is <math><mi>x</mi></math> to "it"?</strong></figcaption></figure>
`;
const FILES = ['en/index.html', 'en/further/index.html'];

/** The pages of a language, each with one figure. */
function page(name: string): string {
  const path = join(folder.path, name);
  mkdirSync(join(path, 'en/further'), { recursive: true });
  mkdirSync(join(path, 'assets'));
  for (const file of FILES) writeFileSync(join(path, file), HTML);
  return path;
}
const stills = (path: string, env: object) => run('node', ['scripts/stills.mjs', path], { env });

describe('a page built without Chromium', () => {
  it.each([
    ['is missing', 'no-such-browser', 'Chromium is missing'],
    ['does not start', 'false', 'does not start'],
  ])('says that it has no still figures where it %s, and is as it was', (name, CHROMIUM, reason) => {
    const path = page(name);
    const { status, stdout } = stills(path, { CHROMIUM });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^no still figures: /);
    expect(stdout).toContain(reason);
    for (const file of FILES) expect(readFileSync(join(path, file), 'utf8')).toBe(HTML);
    expect(existsSync(join(path, 'stills'))).toBe(false);
  });
});

describe('service-worker.js', () => {
  const build = (path: string): string => {
    const { status, stderr } = run('node', ['scripts/offline.mjs', path]);
    if (status !== 0) throw new Error(stderr);
    return readFileSync(join(path, 'service-worker.js'), 'utf8');
  };

  it('lists the files by URL, without stills and itself, and takes its version from their contents', () => {
    const path = page('offline');
    writeFileSync(join(path, 'assets/main-12345678.js'), 'export {};');
    mkdirSync(join(path, 'stills'));
    writeFileSync(join(path, 'stills/a.svg'), '<svg/>');
    const first = build(path);
    for (const url of ['./en/', './en/further/']) expect(first).toContain(`[\`${url}\`,`);
    expect(first).toContain('./assets/main-12345678.js');
    expect(first).not.toMatch(/stills|service-worker\.js/);
    expect(build(path)).toBe(first);
    cpSync(join(path, 'assets/main-12345678.js'), join(path, 'assets/other-12345678.js'));
    const second = build(path);
    expect(second).not.toBe(first);
  });
});
