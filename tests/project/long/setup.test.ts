/** The scripts' messages about missing tools. CI runs setup itself in a bare Debian (.ci/run). */
import { checkout, type Checkout } from '../checkout.js';
import { read, run } from '../../package/support.js';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** The scripts that install what is missing, and the one that needs no JavaScript packages. */
const OTHERS = ['setup', 'start', 'test', 'test:ci', 'test:all', 'test:native'];

let machine: Checkout;
afterEach(() => machine.remove());

/** The lines of stderr of a failing shell command, without its name. */
function failure(line: string): string[] {
  const { status, stderr } = machine.run(line);
  expect(status).not.toBe(0);
  return stderr.trimEnd().split('\n');
}

describe('in a fresh clone', () => {
  it.each(Object.entries(scripts).filter(([name]) => !OTHERS.includes(name)))(
    'npm run %s names npm run setup in one line, and fails',
    (_name, line) => {
      machine = checkout();
      expect(failure(line)).toEqual(['setup: missing: JavaScript packages; run `npm run setup`']);
    },
  );

  it.each([
    ['build', ['emcmake', 'ninja'], 'JavaScript packages, emcc, ninja'],
    ['test:native', ['g++'], 'g++'],
    ['lint', ['clang-format'], 'JavaScript packages, clang-format'],
  ])('npm run %s names the tools %j, too', (name, tools, missing) => {
    machine = checkout(tools);
    expect(failure(scripts[name]!)).toEqual([`setup: missing: ${missing}; run \`npm run setup\``]);
  });

  it.each([
    ['3.1.6', 'JavaScript packages, clang 19'],
    ['3.1.69', 'JavaScript packages'],
  ])('Emscripten %s lacks: %s', (version, missing) => {
    machine = checkout(['clang++-19']);
    machine.command('emcc', `echo "emcc (Emscripten gcc/clang-like replacement) ${version} ()"`);
    expect(failure(scripts.build!)).toEqual([`setup: missing: ${missing}; run \`npm run setup\``]);
  });

  it('setup installs the JavaScript packages once', () => {
    machine = checkout();
    machine.command('npm', 'echo "$*" >>calls; mkdir node_modules; touch node_modules/.package-lock.json');
    expect(machine.run('bash scripts/setup.sh && bash scripts/setup.sh').status).toBe(0);
    expect(machine.run('cat calls').stdout).toBe('ci --no-audit --no-fund\n');
  });
});

describe('setup', () => {
  it('prints nothing and is quick if everything is installed', () => {
    machine = checkout();
    const started = performance.now();
    const { status, stdout, stderr } = run('bash', ['scripts/setup.sh']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('names every missing tool if there is no apt-get', () => {
    machine = checkout(['g++', 'emcc', 'chromium']);
    const [first, ...tools] = failure('bash scripts/setup.sh');
    expect(first).toBe('setup: this system has no apt-get; please install by hand:');
    expect(tools.map((line) => /^ {2}(\S+) is missing: apt-get install /.exec(line)?.[1])).toEqual([
      'g++',
      'emcc',
      'Chromium',
    ]);
  });

  it('names what apt-get could not install, the reason, and where to get it', () => {
    machine = checkout(['ninja']);
    machine.command('sudo', '[[ $1 == -n ]] && shift; exec "$@"');
    machine.command('apt-cache', 'echo "  Candidate: 1.11"');
    machine.command('apt-get', '[[ $1 == update ]] || { echo "E: Unable to locate package ninja-build"; exit 100; }');
    expect(failure('bash scripts/setup.sh')).toEqual([
      'setup: apt-get failed: E: Unable to locate package ninja-build (log: build/logs/apt-install.log)',
      '  ninja is missing: apt-get install ninja-build, or https://ninja-build.org',
    ]);
  });

  it('neither accepts nor installs an old Node.js', () => {
    machine = checkout();
    machine.command('node', 'echo v18.20.4');
    machine.command('sudo', 'exit 0');
    machine.command('apt-get', '[[ $1 == update ]]');
    machine.command('apt-cache', 'echo "  Candidate: 18.20.4+dfsg-1"');
    expect(failure('bash scripts/setup.sh').join()).toContain('Node.js 20 with npm is missing');
  });

  it('says in one line that the disk is full, before it starts anything', () => {
    machine = checkout();
    machine.command('df', 'echo header; echo "disk 200000 100000 300 50% /"');
    expect(failure('bash scripts/setup.sh')).toEqual([
      'setup: the disk is full: npm ci needs 800 MB in ., 300 MB are free',
    ]);
  });

  it('says in one line why npm ci failed', () => {
    machine = checkout();
    machine.command('npm', 'echo "npm error code ENOSPC" >&2; exit 1');
    expect(failure('bash scripts/setup.sh')).toEqual([
      'setup: npm ci failed: no space left on device (log: build/logs/npm-ci.log)',
    ]);
  });
});

it("a build ends with the compiler's first error", () => {
  machine = checkout();
  machine.command('ninja', 'echo "[1/2] Building"; echo "a.cpp:1:2: error: no such thing"; echo "more"; exit 1');
  machine.run('mkdir node_modules; touch node_modules/.package-lock.json');
  expect(failure('bash scripts/build.sh').at(-1)).toBe(
    'build: wasm failed: a.cpp:1:2: error: no such thing (log: build/logs/wasm.log)',
  );
});
