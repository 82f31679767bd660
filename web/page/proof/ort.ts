/** onnxruntime-web, from files that the reader gives: nothing of it is part of this page. */
import { graphOf, type Problem } from './peers.js';
import type { Type } from './results.js';

interface OrtTensor {
  readonly data: Float32Array;
}
interface Session {
  run(feeds: Readonly<Record<string, OrtTensor>>): Promise<Readonly<Record<string, OrtTensor>>>;
}
interface Ort {
  readonly env: { logLevel: string; readonly wasm: Record<string, unknown> };
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: string, data: ArrayLike<unknown>, dims: readonly number[]) => OrtTensor;
}

export type Feeds = Readonly<
  Record<string, readonly [data: ArrayLike<unknown>, dims: readonly number[], type?: string]>
>;

/** Makes a function that computes a problem with tensors made from these arrays, as its users would. */
export type PrepareOrt = (problem: Problem, type: Type, feeds: Feeds) => Promise<() => Promise<Float32Array>>;

/**
 * Imports ort.wasm.bundle.min.mjs, or another build with the .mjs that it loads, with its wasm.
 *
 * @throws if a file is missing or is something else
 */
export async function openOrt(files: readonly File[]): Promise<PrepareOrt> {
  const find = (pattern: RegExp): File | undefined => files.find(({ name }) => pattern.test(name));
  const [script, wasm, glue] = [find(/^ort\..*mjs$/), find(/\.wasm$/), find(/^ort-wasm.*\.mjs$/)];
  if (!script || !wasm) throw new Error('ort.wasm.bundle.min.mjs, ort-wasm-simd-threaded.wasm');
  const address = async (file: File): Promise<string> =>
    URL.createObjectURL(new Blob([await file.arrayBuffer()], { type: 'text/javascript' }));
  const ort = (await import(/* @vite-ignore */ await address(script))) as Ort;
  ort.env.logLevel = 'error';
  Object.assign(ort.env.wasm, {
    numThreads: 1,
    wasmBinary: await wasm.arrayBuffer(),
    ...(glue && { wasmPaths: { mjs: await address(glue) } }),
  });
  return async (problem, type, feeds) => {
    // The fastest of the ways in `npm run bench`.
    const way = type === 'int8' ? 'dynamic' : problem.kind === 'matmul' ? 'decomposed' : 'multi-head';
    const model = graphOf(way, problem);
    const session = await ort.InferenceSession.create(model, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
    });
    return async () => {
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([name, [data, dims, kind = 'float32']]) => [name, new ort.Tensor(kind, data, dims)]),
      );
      return Object.values(await session.run(tensors))[0]!.data;
    };
  };
}
