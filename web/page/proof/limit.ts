import { LIMIT_CHAINS, LIMIT_STEPS } from './results.js';

const V128 = 0x7b;
const F32 = 0x7d;
const I32 = 0x7f;

/** A number as WebAssembly writes it: seven bits in a byte. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
const section = (id: number, ...bytes: number[]): number[] => [id, ...leb(bytes.length), ...bytes];

/**
 * A module whose `run(steps)` does independent chains of s = s · 0.5 + 0.5 on four numbers each, which never leave their
 * registers: no code computes faster in float32. `relaxed`: with one instruction for both, as the library does then.
 */
export function limitModule(relaxed: boolean): Uint8Array<ArrayBuffer> {
  const simd = (code: number, ...immediates: number[]): number[] => [0xfd, ...leb(code), ...immediates];
  const [splat, extract, add, multiply] = [simd(0x13), simd(0x1f, 0), simd(0xe4), simd(0xe6)];
  const half = [0x43, 0, 0, 0, 0x3f, ...splat];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const chains = Array.from({ length: LIMIT_CHAINS }, (_, i) => 1 + i);
  const constant = LIMIT_CHAINS + 1;
  const step = (sum: number): number[] =>
    relaxed
      ? [...get(sum), ...get(constant), ...get(constant), ...simd(0x105), ...set(sum)]
      : [...get(sum), ...get(constant), ...multiply, ...get(constant), ...add, ...set(sum)];
  const code = [
    ...[...chains, constant].flatMap((local) => [...half, ...set(local)]),
    ...[0x03, 0x40, ...chains.flatMap(step)],
    ...[0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b],
    ...chains.flatMap((sum) => [...get(sum), ...(sum > 1 ? add : [])]),
    ...[...extract, 0x0b],
  ];
  const body = [1, LIMIT_CHAINS + 1, V128, ...code];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, I32, 1, F32),
    ...section(3, 1, 0),
    ...section(7, 1, 3, ...new TextEncoder().encode('run'), 0, 0),
    ...section(10, 1, ...leb(body.length), ...body),
  ]);
}

/** Returns a function that does the chains. */
export async function openLimit(relaxed: boolean): Promise<() => unknown> {
  const { instance } = await WebAssembly.instantiate(limitModule(relaxed));
  const run = instance.exports.run as (steps: number) => number;
  return () => run(LIMIT_STEPS);
}
