/** The caller's functions that see tensors of a pass. */
import { unknownName } from '../../check/options.js';
import { tagOf, wrongKind } from '../../check/values.js';
import type { ModelHooks } from '../types.js';
import type { HookPoint, Hooks, Program } from './types.js';

/** Transposes (B, X, Y, E) into (B, Y, X, E); `shape` is that of the result. */
export function transposed(data: Float32Array, [batch, ys, xs, width]: readonly number[]): Float32Array {
  const result = new Float32Array(data.length);
  let to = 0;
  for (let b = 0; b < batch!; ++b) {
    for (let y = 0; y < ys!; ++y) {
      for (let x = 0; x < xs!; ++x, to += width!) {
        const from = ((b * xs! + x) * ys! + y) * width!;
        result.set(data.subarray(from, from + width!), to);
      }
    }
  }
  return result;
}

export function swapped([batch, x, y, width]: readonly number[]): readonly number[] {
  return [batch!, y!, x!, width!];
}

export function checkHooks(operation: string, hooks: unknown): Hooks | undefined {
  if (hooks == null) return undefined;
  const checked = new Map<string, ModelHooks[string]>();
  if (tagOf(hooks) !== 'Object') wrongKind(operation, 'hooks to be an object of functions', hooks);
  for (const [name, hook] of Object.entries(hooks) as [string, unknown][]) {
    if (typeof hook !== 'function') wrongKind(operation, `hook '${name}' to be a function`, hook);
    checked.set(name, hook as ModelHooks[string]);
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
