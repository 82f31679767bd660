/**
 * The benchmark's own small wasms, called with JavaScript arrays that are copied in and out as a user would have to.
 */
import { read } from '../host.mjs';

/** Stands for every import of a standalone module; the functions called here need none of them. */
const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });

/** The exports of build/NAME.wasm. If it exports `allocate` and `release`, `withArrays` can call it. */
export async function instantiate(name, build) {
  const { instance } = await WebAssembly.instantiate(await read(new URL(`${name}.wasm`, build)), imports);
  if (instance.exports._initialize) instance.exports._initialize();
  return instance.exports;
}

export function withArrays(wasm) {
  const allocate = (length) => wasm.allocate(4 * length) >>> 0;
  const place = (data) => {
    const address = allocate(data.length);
    new data.constructor(wasm.memory.buffer, address, data.length).set(data);
    return address;
  };
  /** Copies the inputs in, makes room for the outputs, runs `body`, frees both and returns the outputs. */
  const call = (inputs, lengths, body) => {
    const from = inputs.map(place);
    const to = lengths.map(allocate);
    body(from, to);
    const outputs = to.map((address, i) => new Float32Array(wasm.memory.buffer, address, lengths[i]).slice());
    for (const address of [...from, ...to]) wasm.release(address);
    return outputs;
  };
  return { wasm, place, call };
}
