/**
 * This library, through its published entries (dist/).
 */
import { inBrowser, readJson } from '../host.mjs';
import { baseline, prepare } from './ours-works.mjs';

const root = new URL('../../../', import.meta.url);

/**
 * Collects the wasm memories that are instantiated from now on, which the library does not expose, and returns their
 * total bytes.
 */
export function watchMemories() {
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args);
    const { exports } = result.instance ?? result;
    memories.push(...Object.values(exports).filter((value) => value instanceof WebAssembly.Memory));
    return result;
  };
  return () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

/** A separate copy of the package, with its own threads. */
async function copyOf(entry, copy, threads, relaxed = false) {
  const { load } = await import(new URL(`dist/${entry}.js?${copy}`, root));
  const wasm = await load({ threads });
  const { features } = wasm;
  if (features.threads !== threads) throw new Error(`expected ${threads} threads, got ${features.threads}`);
  if (relaxed && features.simd !== 'relaxed-simd') throw new Error(`expected relaxed SIMD, got ${features.simd}`);
  return wasm;
}

/** Several copies of the package as contenders, by name. */
function copies(entries) {
  return Object.entries(entries).map(([name, wasm]) => ({
    name,
    simd: wasm.features.simd,
    prepare: (problem) => prepare[problem.kind]({ wasm }, problem),
  }));
}

/**
 * With `scaling`, one contender for each of these numbers of threads and one for a single thread. Otherwise the
 * contender `wasm-attention` and its `baseline`: with `relaxed` the plain wasm on as many threads, else with several
 * threads one thread, else what `baseline` in ours-works.mjs says.
 */
export async function open({ build, threads = 1, relaxed = false, scaling }) {
  const { version } = await readJson(new URL('package.json', root));
  // The entry that uses relaxed SIMD where the engine has it, as a page would.
  const entry = relaxed || inBrowser ? 'slim' : 'index';
  if (scaling) {
    const loaded = {};
    for (const count of [1, ...scaling]) loaded[`${count}`] = await copyOf(entry, count, count, relaxed);
    return { version, peers: copies(loaded) };
  }
  const wasm = await copyOf(entry, 'measured', threads, relaxed);
  const { simd } = wasm.features;
  if (threads > 1 || relaxed) {
    const other = relaxed ? await copyOf('index', 'plain', threads) : await copyOf(entry, 'single', 1);
    return { version, peers: copies({ 'wasm-attention': wasm, baseline: other }) };
  }
  const context = { wasm, build };
  return {
    version,
    peers: [
      { name: 'wasm-attention', simd, prepare: (problem) => prepare[problem.kind](context, problem) },
      { name: 'baseline', prepare: (problem) => baseline[problem.kind]?.(context, problem) },
    ],
  };
}
