/** Functions that see tensors of a pass. */
import { toTensor } from '../../check/arrays.js';
import { unknownName } from '../../check/options.js';
import { checkShape, sizeOf, tagOf, wrongKind } from '../../check/values.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike } from '../../types.js';
import type { Hook, HookPoint, Hooks, Place, Program } from './types.js';

export function checkHooks(operation: string, hooks: unknown): Hooks | undefined {
  if (hooks == null) return undefined;
  const checked = new Map<string, Hook>();
  if (tagOf(hooks) !== 'Object') wrongKind(operation, 'hooks to be an object of functions', hooks);
  for (const [name, call] of Object.entries(hooks) as [string, unknown][]) {
    if (typeof call === 'function') checked.set(name, { call: call as Hook['call'] });
    else {
      if (tagOf(call) !== 'Object') wrongKind(operation, `hook '${name}' to be a function or { data, shape }`, call);
      const tensor = toTensor(operation, `hook '${name}'`, call as TensorLike);
      checked.set(name, { call: () => tensor });
    }
  }
  return checked;
}

/** The hooks in the order of the pass. */
export function pointsOf(
  operation: string,
  { hooks: points }: Program,
  hooks: Hooks | undefined,
): (HookPoint & { readonly name: string })[] {
  if (!hooks) return [];
  for (const name of hooks.keys()) {
    if (!points.has(name)) unknownName(operation, name, [...points.keys()], 'hooks');
  }
  return [...points].filter(([name]) => hooks.has(name)).map(([name, point]) => ({ ...point, name }));
}

/** Calls a hook's functions with a tensor; tells whether the caller's has replaced it with other bits. */
export function runHook(memory: Memory, operation: string, name: string, { call, see }: Hook, place: Place): boolean {
  const returned: unknown = call?.(read(memory, operation, place));
  let isReplaced = false;
  if (returned !== undefined) {
    const { data, shape } = toTensor(operation, `what hook '${name}' returns`, returned as TensorLike);
    checkShape(operation, `hook '${name}' to return a tensor`, shape, place.shape);
    isReplaced = !hasBitsOf(data, read(memory, operation, place).data);
    if (isReplaced) write(memory, place, data);
  }
  see?.(read(memory, operation, place));
  return isReplaced;
}

function read(memory: Memory, operation: string, { address, shape, strides }: Place): Tensor {
  if (!strides) return memory.tensor(address, shape);
  const data = fresh(operation, Float32Array, sizeOf(shape));
  const { starts, width, size } = rowsOf(shape, strides);
  const whole = memory.read(address, size);
  starts.forEach((start, i) => data.set(whole.subarray(start, start + width), i * width));
  return { data, shape: [...shape] };
}

function write(memory: Memory, { address, shape, strides }: Place, data: Float32Array): void {
  if (!strides) {
    memory.write(address, data);
    return;
  }
  const { starts, width, size } = rowsOf(shape, strides);
  const whole = memory.read(address, size);
  starts.forEach((start, i) => whole.set(data.subarray(i * width, (i + 1) * width), start));
  memory.write(address, whole);
}

/** Where the rows of a tensor's last axis begin, in floats, and how many floats they and what is between them take. */
function rowsOf(shape: readonly number[], strides: readonly number[]) {
  let starts = [0];
  strides.forEach((stride, axis) => {
    const steps = Array.from({ length: shape[axis]! }, (_, i) => i * stride);
    starts = starts.flatMap((start) => steps.map((step) => start + step));
  });
  const width = shape.at(-1)!;
  return { starts, width, size: starts.at(-1)! + width };
}

function hasBitsOf(one: Float32Array, other: Float32Array): boolean {
  const [bits, otherBits] = [one, other].map((x) => new Int32Array(x.buffer, x.byteOffset, x.length));
  return bits!.every((bit, i) => bit === otherBits![i]);
}
