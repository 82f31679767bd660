import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, type Checkout } from './checkout.js';
import { run } from './support.js';

let here: Checkout | undefined;
afterEach(() => {
  here?.remove();
});

/** A checkout with the machine's commands faked: room on the disk, apt-get and sudo that note how they were called. */
function machine(options: { without?: string[]; free?: number; apt?: string } = {}): Checkout {
  const { without, free = 100_000, apt = 'exit 0' } = options;
  here = checkout(without ? { without } : {});
  here.command('df', `echo header; echo "disk 200000 100000 ${free} 50% /"`);
  here.command('sudo', '[[ $1 == -n ]] && shift; exec "$@"');
  here.command('apt-get', `echo "apt-get $*" >>${here.path}/calls\n${apt}`);
  here.command(
    'npm',
    `echo "npm $*" >>${here.path}/calls; mkdir -p node_modules; touch node_modules/.package-lock.json`,
  );
  return here;
}
const calls = ({ path }: Checkout) =>
  existsSync(join(path, 'calls')) ? readFileSync(join(path, 'calls'), 'utf8').trimEnd().split('\n') : [];
const lines = (text: string) => text.trimEnd().split('\n');

describe('setup', () => {
  it('says nothing and is quick where everything is here', () => {
    const started = performance.now();
    const { status, stdout, stderr } = run('bash', ['scripts/setup.sh']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('installs the JavaScript packages once', () => {
    const { run } = machine();
    expect(run('setup.sh').status).toBe(0);
    expect(run('setup.sh').status).toBe(0);
    expect(calls(here!)).toEqual(['npm ci --no-audit --no-fund']);
  });

  it("installs what is missing from Debian's packages", () => {
    const { run, command, path } = machine({ without: ['ninja', 'clang-format'] });
    command(
      'apt-get',
      `echo "apt-get $*" >>${path}/calls
       [[ $1 == update ]] && exit
       for tool in ninja clang-format; do echo "#!${path}/bin/bash" >${path}/bin/$tool; done
       chmod +x ${path}/bin/ninja ${path}/bin/clang-format`,
    );
    command('chmod', 'exec /bin/chmod "$@"');
    expect(run('setup.sh')).toMatchObject({ status: 0, stderr: '' });
    expect(calls(here!).slice(0, 2)).toEqual([
      'apt-get update',
      'apt-get install --yes --no-install-recommends ninja-build clang-format',
    ]);
  });

  describe('without the compiler for relaxed SIMD', () => {
    const without = ['clang++-19', 'wasm-ld-19'];

    it('installs it where Debian has it, which the lists may say only once they are updated', () => {
      const { run, command, path } = machine({ without: [...without, 'ninja'] });
      command('apt-cache', `[[ -e ${path}/updated ]]`);
      command(
        'apt-get',
        `echo "apt-get $*" >>${path}/calls
         [[ $1 == update ]] && { echo >${path}/updated; exit; }
         for tool in ninja clang++-19 wasm-ld-19; do echo "#!${path}/bin/bash" >${path}/bin/$tool; chmod +x ${path}/bin/$tool; done`,
      );
      command('chmod', 'exec /bin/chmod "$@"');
      expect(run('setup.sh')).toMatchObject({ status: 0, stderr: '' });
      expect(calls(here!)[1]).toBe(
        'apt-get install --yes --no-install-recommends ninja-build clang-19 lld-19',
      );
    });

    it('does without where Debian has none', () => {
      const { run, command } = machine({ without });
      command('apt-cache', 'exit 100');
      expect(run('setup.sh')).toMatchObject({ status: 0, stderr: '' });
      expect(calls(here!)).toEqual(['npm ci --no-audit --no-fund']);
    });
  });

  it('tries once to get the quicker Chromium, and does without where that fails', () => {
    const { run } = machine({ without: ['chromium-headless-shell'], apt: 'exit 100' });
    expect(run('setup.sh')).toMatchObject({ status: 0, stderr: '' });
    expect(run('setup.sh')).toMatchObject({ status: 0, stderr: '' });
    expect(calls(here!)).toEqual([
      'apt-get install --yes --no-install-recommends chromium-headless-shell',
      'npm ci --no-audit --no-fund',
    ]);
  });

  it('asks for libFuzzer only where it is told to, and takes no clang that lacks it', () => {
    const { run, command, path } = machine();
    expect(run('setup.sh', '--check').stderr).not.toContain('libFuzzer');
    const missing =
      '  libFuzzer is missing: apt-get install clang libclang-rt-dev, or https://llvm.org/docs/LibFuzzer.html';
    expect(lines(run('setup.sh', '--check', '--fuzz').stderr)).toContain(missing);
    const library = join(path, 'libclang_rt.fuzzer-x86_64.a');
    command('clang++', `echo '"/usr/bin/ld" "-o" "a.out" "${library}"' >&2`);
    expect(lines(run('setup.sh', '--check', '--fuzz').stderr)).toContain(missing);
    writeFileSync(library, '');
    expect(run('setup.sh', '--check', '--fuzz').stderr).not.toContain('libFuzzer');
  });

  it('names what apt-get could not install, why, and where to get it', () => {
    const { run } = machine({
      without: ['ninja'],
      apt: '[[ $1 == update ]] || { echo "E: Unable to locate package ninja-build"; exit 100; }',
    });
    const { status, stderr } = run('setup.sh');
    expect(status).toBe(1);
    expect(lines(stderr)).toEqual([
      'setup: apt-get failed: E: Unable to locate package ninja-build (log: build/logs/apt-install.log)',
      '  ninja is missing: apt-get install ninja-build, or https://ninja-build.org',
    ]);
  });

  it('names every missing thing where there is no apt-get', () => {
    const { run, path } = machine({ without: ['g++', 'emcc', 'chromium'] });
    rmSync(join(path, 'bin/apt-get'));
    const { status, stderr } = run('setup.sh');
    expect(status).toBe(1);
    expect(lines(stderr)).toHaveLength(4);
    for (const tool of ['g++', 'emcc', 'Chromium'])
      expect(stderr).toContain(`  ${tool} is missing: apt-get install `);
  });

  it('only looks when told so', () => {
    const { run } = machine({ without: ['cmake'] });
    expect(run('setup.sh', '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cmake is missing') as string,
    });
    expect(calls(here!)).toEqual([]);
  });

  it('does not take an old Node.js, nor install one', () => {
    const { run, command } = machine();
    command('node', 'echo v18.20.4');
    command('apt-cache', 'echo "  Candidate: 18.20.4+dfsg-1"');
    const { status, stderr } = run('setup.sh');
    expect(status).toBe(1);
    expect(stderr).toContain('Node.js 20 with npm is missing');
    expect(calls(here!)).toEqual(['apt-get update']);
  });

  it('gives one line on a full disk, before it starts anything', () => {
    const { run } = machine({ free: 300 });
    const { status, stderr } = run('setup.sh');
    expect(status).toBe(1);
    expect(stderr).toBe('setup: the disk is full: npm ci needs 800 MB in ., 300 MB are free\n');
    expect(calls(here!)).toEqual([]);
  });

  it('gives one line when npm ci fails', () => {
    const { run, command } = machine();
    command('npm', 'echo "npm error code ENOSPC" >&2; exit 1');
    const { status, stderr } = run('setup.sh');
    expect(status).toBe(1);
    expect(stderr).toBe('setup: npm ci failed: no space left on device (log: build/logs/npm-ci.log)\n');
  });
});

describe('build', () => {
  it('gives one line when the compiler is missing', () => {
    const { run } = machine({ without: ['emcc', 'emcmake'] });
    const { status, stderr } = run('build.sh');
    expect(status).toBe(1);
    expect(stderr).toBe('build: emcc is missing: run `npm run setup`, which installs it\n');
  });

  it('says in one line that there will be no wasm for relaxed SIMD where its compiler is missing', () => {
    const { run, command } = machine({ without: ['wasm-ld-19'] });
    command('node', 'echo no node today; exit 1');
    const line = /^build: clang-19 or lld-19 is missing: .* no wasm for relaxed SIMD/;
    expect(lines(run('build.sh').stdout).filter((said) => line.test(said))).toHaveLength(1);
    command('wasm-ld-19', 'exit 0');
    expect(run('build.sh').stdout).not.toMatch(/relaxed SIMD/);
  });

  it('ends with the first error of the compiler', () => {
    const { run, command } = machine();
    command('ninja', 'echo "[1/2] Building"; echo "a.cpp:1:2: error: no such thing"; echo "more"; exit 1');
    const { status, stderr } = run('build.sh');
    expect(status).toBe(1);
    expect(lines(stderr).at(-1)).toBe(
      'build: wasm failed: a.cpp:1:2: error: no such thing (log: build/logs/wasm.log)',
    );
  });
});
