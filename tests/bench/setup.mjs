/** Installs the peers and compiles the wasm of the machine's limits. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'vite';

const here = new URL('./', import.meta.url);
export const build = new URL('build/', here);
const path = (name, base = here) => fileURLToPath(new URL(name, base));
const time = (name, base) => (existsSync(path(name, base)) ? statSync(path(name, base)).mtimeMs : 0);

function run(command, args, env = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    cwd: path('.'),
  });
  if (status === 0) return;
  const reason = error ? error.message : `${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n');
  throw new Error(`${command} ${args.join(' ')} failed\n${reason}`);
}

const common = ['-O3', '-msimd128', '-std=c++17', '-fno-exceptions', '-fno-rtti', '-DNDEBUG'];
const linking = [
  '--no-entry',
  '-sSTANDALONE_WASM',
  '-sALLOW_MEMORY_GROWTH=1',
  '-sMAXIMUM_MEMORY=4GB',
  '-sINITIAL_MEMORY=1MB',
  '-sTOTAL_STACK=256KB',
];

/** Compiles native/limits.cpp, if it is newer than its wasm. */
function compileLimits(say) {
  const [source, output] = ['native/limits.cpp', 'limits.wasm'];
  if (time(output, build) > time(source, here)) return;
  say(`compiling ${source}`);
  // Debian's Emscripten finds its JavaScript optimizer's parser there.
  const NODE_PATH = ['/usr/share/nodejs', process.env.NODE_PATH].filter(Boolean).join(':');
  run('emcc', [...common, ...linking, source, '-o', path(output, build)], { NODE_PATH });
}

/** Compiles the limits for relaxed SIMD, with the compiler that builds the library's wasm for it. */
function compileRelaxedLimits(say) {
  const [source, output] = ['native/limits.cpp', 'limits-relaxed.wasm'];
  if (time(output, build) > time(source, here)) return;
  say(`compiling ${source} for relaxed SIMD`);
  const object = path('limits-relaxed.o', build);
  const target = ['--target=wasm32', '-mbulk-memory', '-mrelaxed-simd'];
  run('clang++-19', [...common, ...target, '-c', source, '-o', object]);
  // Linked separately, because the compiler would call a wasm-opt that may be too old for relaxed SIMD.
  run('wasm-ld-19', ['--no-entry', object, '-o', path(output, build)]);
}

/** Bundles a module into build/NAME.js if the module or the peers are newer. */
async function bundled(name, entry, say) {
  const newest = Math.max(time('node_modules/.package-lock.json', here), time(entry, here));
  if (time(`${name}.js`, build) > newest) return;
  say(`bundling ${name}`);
  await bundle({
    root: path('.'),
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      outDir: path('.', build),
      emptyOutDir: false,
      target: 'es2022',
      // TensorFlow.js sends its threads the text of a function, which must not refer to anything outside.
      minify: false,
      lib: { entry: path(entry), formats: ['es'], fileName: name },
    },
  });
}

/**
 * Bundles TensorFlow.js, whose ES modules only bundlers can read. Node has a CommonJS package, but without gradients;
 * those are bundled alone and register with the copy that Node has loaded.
 */
function bundleTensorFlow(browser, say) {
  return browser
    ? bundled('tfjs', 'hosts/tfjs-bundle.mjs', say)
    : bundled('tfjs-gradients', 'node_modules/@tensorflow/tfjs-core/dist/register_all_gradients.js', say);
}

/**
 * `needsPeers`: whether a peer from npm will be measured. `relaxed`: whether the wasm for relaxed SIMD will be.
 * Returns `fused`: whether the limits of relaxed SIMD can be measured.
 */
export async function setUp({ needsPeers, relaxed, browser, say }) {
  if (needsPeers && time('node_modules/.package-lock.json', here) < time('package-lock.json', here)) {
    say('installing the peers (once)');
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', path('.')]);
  }
  mkdirSync(build, { recursive: true });
  if (needsPeers) await bundleTensorFlow(browser, say);
  compileLimits(say);
  const built = time('../../dist/wasm-attention-relaxed.wasm', here) > 0;
  if (relaxed && !built) throw new Error('there is no wasm for relaxed SIMD: run `npm run setup` and build again');
  const fused = relaxed || (browser && built);
  if (fused) compileRelaxedLimits(say);
  return { fused };
}
