/** A small wasm of the benchmark's own behind JavaScript arrays, copied in and out as a user of it would have to. */
import { read } from '../host.mjs';

/** Imports that a standalone module asks for and that these functions never reach. */
const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });

/** The exports of build/NAME.wasm; those of a module with `allocate` and `release` can be called through `withArrays`. */
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
  /** Runs `body` with the inputs copied in and room for the outputs, then frees both; returns the outputs. */
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
