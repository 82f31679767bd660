/** The limits of this engine on this machine, measured with native/limits.cpp. */
import { read } from './host.mjs';
import { normal } from './random.mjs';
import { interleave } from './timing.mjs';

const DEPTH = 256; // panels of 4 KB and 8 KB, which fit into any L1
const COPY_BYTES = 64 * 2 ** 20; // far more than any L2 holds
const CHAINS = [10, 12, 13];
const FUSED = 'Fused';

/** Stands for every import of a standalone module; the functions called here need none of them. */
const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });

/** The exports of build/NAME.wasm. */
export async function instantiate(name, build) {
  const { instance } = await WebAssembly.instantiate(await read(new URL(`${name}.wasm`, build)), imports);
  if (instance.exports._initialize) instance.exports._initialize();
  return instance.exports;
}

/**
 * The 4×8 micro-kernel over packed panels in L1, as a contender: each row is compared with a limit that was measured in
 * the same rounds. `flop`: operations of one call. `relaxed`: use the fused multiply-add.
 */
export async function microKernel(build, relaxed = false) {
  const wasm = await instantiate(relaxed ? 'limits-relaxed' : 'limits', build);
  const panels = wasm.reserve(1 << 16);
  new Float32Array(wasm.memory.buffer, panels, 12 * DEPTH).set(normal(12 * DEPTH, 71));
  const [a, b, c] = [panels, panels + 16 * DEPTH, panels + 48 * DEPTH];
  const times = 500;
  return {
    name: 'microKernel',
    run: () => wasm.microKernels(a, b, c, DEPTH, times),
    flop: 2 * 4 * 8 * DEPTH * times,
  };
}

/** Chains of multiply-adds in registers: no code can compute faster. */
function chains(wasm, suffix = '') {
  const sums = wasm.reserve(1 << 16);
  const steps = 20000;
  return CHAINS.map((count) => ({
    name: `multiplyAdd${count}${suffix}`,
    // With a factor of 0.5 the chains avoid infinities and subnormals, which take longer.
    beforeSample: () => new Float32Array(wasm.memory.buffer, sums, 64).fill(0.5),
    run: () => wasm[`multiplyAdd${count}`](sums, steps),
    work: 8 * count * steps,
  }));
}

/**
 * `multiplyAdd` and `microKernel` in GFLOP/s; with `fused` also `multiplyAddFused` and `microKernelFused`, the same
 * with relaxed SIMD. `copy` in GB/s (bytes written). `slice` likewise, for a fresh Float32Array out of wasm memory:
 * every wasm library pays this for every result.
 */
export async function measureLimits({ build, rounds = 9, quick = false, clock = 'wall', fused }) {
  const wasm = await instantiate('limits', build);
  const plainChains = chains(wasm);
  const copied = wasm.reserve(2 * COPY_BYTES);
  const floats = new Float32Array(wasm.memory.buffer);
  floats.fill(1, copied / 4, (copied + 2 * COPY_BYTES) / 4);
  const start = copied / 4;
  const kernel = await microKernel(build);
  const contenders = [
    ...plainChains,
    { ...kernel, work: kernel.flop },
    ...(fused ? await fusedOnes(build) : []),
    { name: 'copy', run: () => wasm.copy(copied, copied + COPY_BYTES, COPY_BYTES), work: COPY_BYTES },
    { name: 'slice', run: () => floats.slice(start, start + COPY_BYTES / 4), work: COPY_BYTES },
  ];
  const timed = await interleave(contenders, { rounds, warmup: quick ? 100 : 300, clock });
  const rate = (name) => contenders.find((one) => one.name === name).work / timed[name].median / 1e6;
  const best = (suffix) => Math.max(...CHAINS.map((count) => rate(`multiplyAdd${count}${suffix}`)));
  return {
    multiplyAdd: best(''),
    microKernel: rate('microKernel'),
    ...(fused && { multiplyAddFused: best(FUSED), microKernelFused: rate(`microKernel${FUSED}`) }),
    copy: rate('copy'),
    slice: rate('slice'),
  };
}

/** The chains and the micro-kernel with relaxed SIMD. */
async function fusedOnes(build) {
  const wasm = await instantiate('limits-relaxed', build);
  const kernel = await microKernel(build, true);
  return [...chains(wasm, FUSED), { ...kernel, name: `${kernel.name}${FUSED}`, work: kernel.flop }];
}
