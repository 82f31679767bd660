/** Runs the passes of a model, one at a time. */
import { wrongUse } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import { runSteps } from '../../steps/steps.js';
import type { Tensor } from '../../types.js';
import type { Architecture } from '../config/architecture.js';
import type { ModelResult } from '../types.js';
import type { Store } from '../weights/store.js';
import type { ModelWeights } from '../weights/types.js';
import { checkSettings, type Pass, type Read } from './check.js';
import { pointsOf, runHook } from './hooks.js';
import { placeInputs } from './inputs.js';
import { buildProgram, isLike } from './program.js';
import type { Place, Program, Request } from './types.js';

// Frees the memory of a model that was garbage-collected without dispose().
const registry = new FinalizationRegistry<Store>((store) => store.dispose());

export class Passes {
  readonly wasm: Wasm;
  readonly architecture: Architecture;
  readonly weights: ModelWeights;
  readonly #store: Store;
  #disposed = false;
  #isBusy = false;
  /** The last pass's program, which similar passes, such as those of a decoder, run again. */
  #last: { readonly request: Request; readonly program: Program } | undefined;

  constructor(wasm: Wasm, architecture: Architecture, { store, weights }: { store: Store; weights: ModelWeights }) {
    this.wasm = wasm;
    this.architecture = architecture;
    this.weights = weights;
    this.#store = store;
    registry.register(this, store, this);
  }

  /** Bytes of the parameters. */
  get bytes(): number {
    return this.#store.bytes;
  }

  dispose(): void {
    this.#checkIdle('dispose');
    this.#disposed = true;
    this.#last = undefined;
    this.#store.dispose();
    registry.unregister(this);
  }

  checkUse(operation: string): void {
    if (this.#disposed) wrongUse(operation, 'a model in use', 'a disposed one');
    this.#checkIdle(operation);
  }

  /** A hook must not change the model in the middle of a pass. */
  #checkIdle(operation: string): void {
    if (this.#isBusy) wrongUse(operation, 'a model between passes', "a hook's call in one");
  }

  /** The names of all hooks, in the order of a pass. */
  hookNames(): string[] {
    const { request } = checkSettings('', this.architecture, {}, false);
    const least = { ...request, batch: 1, tokens: 1, frequencies: [], hooks: new Map() };
    return [...buildProgram(this.architecture, this.weights, least, 0).hooks.keys()];
  }

  run<T>(pass: Pass, read: Read<T>): T {
    const { operation, cache } = pass;
    this.checkUse(operation);
    this.#isBusy = true;
    if (cache) cache.isBusy = true;
    try {
      const result = this.#runSteps(pass, read);
      cache?.append(operation, pass.request.tokens, pass.mask);
      return result;
    } finally {
      this.#isBusy = false;
      if (cache) cache.isBusy = false;
    }
  }

  #runSteps<T>(pass: Pass, read: Read<T>): T {
    const { operation, length } = pass;
    const { hooks } = pass.request;
    const a = this.architecture;
    const { memory } = this.wasm;
    return memory.scope(operation, () => {
      const request: Request = { ...pass.request, frequencies: this.weights.frequenciesAt(length) };
      // Where the next reservation will begin.
      const base = memory.reserve(0);
      const last = this.#last;
      const build = (at: number): Program => buildProgram(a, this.weights, request, at);
      let program = last?.program.layout.base === base && isLike(a, request, last.request) ? last.program : build(base);
      const place = memory.reserve(program.layout.size / 4);
      if (place !== base) program = build(place);
      // Not with hooks, so as not to keep the caller's functions.
      if (!hooks) this.#last = { request, program };
      const points = pointsOf(operation, program, hooks);
      placeInputs(memory, a, this.weights, program, pass);
      const steps = program.steps.place(memory);
      let done = 0;
      const runTo = (to: number): void => {
        if (done < to) runSteps(this.wasm, steps + done, to - done, request.past);
        done = to;
      };
      for (const { name, after, until, ...place } of points) {
        runTo(after);
        if (!runHook(memory, operation, name, hooks!.get(name)!, place)) done = until;
      }
      runTo(program.steps.bytes);
      return read(memory, program, request);
    });
  }
}

export function resultOf(memory: Memory, program: Program, request: Request): ModelResult {
  const read = (place: Place): Tensor => memory.tensor(place.address, place.shape);
  return {
    hidden: read(program.hidden),
    ...(program.logits && { logits: read(program.logits) }),
    ...(program.pooled && { pooled: read(program.pooled) }),
    ...(program.embeds && { embeds: read(program.embeds) }),
    ...(request.needWeights && { weights: program.weights.map(read) }),
    ...(request.needHiddenStates && { hiddenStates: program.hiddenStates.map(read) }),
  };
}
