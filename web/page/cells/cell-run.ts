import { MOST_OUTPUTS, type CellFailure, type CellOutput } from './messages.js';
import type { Told } from './sandbox.js';

/** How long the browser may take to start a sandbox, in milliseconds. */
const PATIENCE = 15_000;

/** How a run has ended, or that it has not. */
export type RunState =
  | { readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'late' | 'cut' | 'garbled' | 'unavailable' }
  | { readonly state: 'failed'; readonly failure: CellFailure }
  | { readonly state: 'foreign'; readonly specifier: string; readonly line: number };

/** One run of a cell after another, each in a sandbox of its own, which is ended with it. */
export class CellRun {
  status: RunState = { state: 'idle' };
  outputs: readonly CellOutput[] = [];
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #number = 0;
  /** The code is running, no longer only the sandbox. */
  #started = false;
  /** The sandbox has dropped output. */
  #cut = false;
  /** What is shown is the run's before. */
  #stale = false;

  /** `changed` is called whenever there is something new to show. */
  constructor(private readonly changed: () => void) {}

  /** Runs the code, for at most `limit` milliseconds, in place of a run that is still going on. */
  async start(code: string, limit: number): Promise<void> {
    this.#end({ state: 'running' });
    const number = ++this.#number;
    this.#started = this.#cut = false;
    this.#stale = true;
    try {
      const { runInSandbox } = await import('./sandbox.js');
      if (number !== this.#number) return;
      this.#timer = setTimeout(() => this.#end({ state: 'unavailable' }), PATIENCE);
      this.#leave = runInSandbox(code, (told) => {
        // What was said before the end may arrive after it.
        if (number === this.#number) this.#take(told, limit);
      });
    } catch (error) {
      if (number === this.#number) this.#end(asState(error));
    }
  }

  /** Ends the run at once. */
  stop(): void {
    if (this.status.state === 'running') this.#end({ state: 'stopped' });
  }

  /** Ends the run and forgets its outputs. */
  clear(): void {
    this.outputs = [];
    this.#end({ state: 'idle' });
  }

  #take(told: Told, limit: number): void {
    if (typeof told === 'string') {
      this.#end({ state: told });
      return;
    }
    switch (told.type) {
      case 'started':
        // Only once: the code may not give itself more time.
        if (this.#started) this.#end({ state: 'garbled' });
        else this.#limitTo(limit);
        break;
      case 'done':
        this.#end({ state: this.#cut ? 'cut' : 'done' });
        break;
      case 'cut':
        if (this.#cut) this.#end({ state: 'garbled' });
        this.#cut = true;
        break;
      case 'failed':
        this.#end({ state: 'failed', failure: told });
        break;
      case 'text':
      case 'log':
      case 'heatmap':
      case 'lines':
        this.#add(told);
    }
  }

  #limitTo(limit: number): void {
    this.#started = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end({ state: 'late' }), limit);
  }

  #add(output: CellOutput): void {
    this.#dropStale();
    // The runtime keeps count as well, but a cell may have got round it.
    if (this.outputs.length >= MOST_OUTPUTS) {
      this.#end({ state: 'garbled' });
      return;
    }
    this.outputs = [...this.outputs, output];
    this.changed();
  }

  #end(status: RunState): void {
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#number += 1;
    if (status.state !== 'running') this.#dropStale();
    this.status = status;
    this.changed();
  }

  /** The outputs of the run before stay until there are new ones, so that the page does not jump. */
  #dropStale(): void {
    if (this.#stale) this.outputs = [];
    this.#stale = false;
  }
}

/** What keeps a run from beginning: a foreign import, or no network for the sandbox's parts. */
function asState(error: unknown): RunState {
  const { name, specifier, line } = error as { name?: string; specifier?: string; line?: number };
  if (name === 'ForeignImport') return { state: 'foreign', specifier: specifier ?? '', line: line ?? 1 };
  return { state: 'unavailable' };
}
