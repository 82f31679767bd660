/** What stands at places of a pass. */
import { tagOf, wrongKind, wrongUse } from '../../check/values.js';
import type { Tensor } from '../../types.js';
import type { Pass } from './check.js';
import type { Passes } from './passes.js';

/**
 * Runs a pass and reads tensors in it, as they are after the caller's own hooks.
 *
 * @param check checks the arguments of the pass
 */
export function activationsOf(
  operation: string,
  passes: Passes,
  names: RegExp | readonly string[],
  check: () => Pass,
): Record<string, Tensor> {
  const wanted = namesOf(operation, passes, names);
  const pass = check();
  const found: Record<string, Tensor> = {};
  const hooks = new Map(pass.request.hooks);
  for (const name of wanted) hooks.set(name, { ...hooks.get(name), see: (value) => void (found[name] = value) });
  return passes.run({ ...pass, request: { ...pass.request, hooks, needHeads: false } }, () => found);
}

/** Names, or all that a pattern fits. */
function namesOf(operation: string, passes: Passes, names: unknown): readonly string[] {
  if (tagOf(names) === 'RegExp') {
    const pattern = names as RegExp;
    // Unlike test(), search() does not depend on where the last match was.
    const fitting = passes.hookNames().filter((name) => name.search(pattern) >= 0);
    return fitting.length > 0 ? fitting : wrongUse(operation, 'names to fit a hook', String(pattern));
  }
  if (!Array.isArray(names)) wrongKind(operation, 'names to be a RegExp or a list of strings', names);
  return Array.from(names as readonly unknown[], (name) =>
    typeof name === 'string' ? name : wrongKind(operation, 'names to hold strings', name),
  );
}
