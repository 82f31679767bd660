import { MOST_OUTPUTS, type CellFailure, type CellOutput } from './messages.js';
import type { Told } from './sandbox.js';

/** How long the browser may take to start a sandbox, in milliseconds. */
const PATIENCE = 15_000;

/** How a run has ended, or that it has not. */
export type RunState =
  | { readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'late' | 'cut' | 'garbled' | 'unavailable' }
  | { readonly state: 'failed'; readonly failure: CellFailure }
  | { readonly state: 'foreign'; readonly specifier: string; readonly line: number };

/** What stands below a cell. */
export interface ShownOutputs {
  readonly outputs: readonly CellOutput[];
  /** The code that made them. */
  readonly code: string;
  /** Whether the reader ran it. */
  readonly own: boolean;
}

const NOTHING: ShownOutputs = { outputs: [], code: '', own: false };

/** One run of a cell after another, each in a sandbox of its own, which is ended with it. */
export class CellRun {
  status: RunState = { state: 'idle' };
  shown = NOTHING;
  /** What the page has printed below the cell. */
  #printed = NOTHING;
  /** What the run has shown so far. */
  #fresh: readonly CellOutput[] = [];
  #code = '';
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #number = 0;
  /** The code is running, no longer only the sandbox. */
  #started = false;
  /** The sandbox has dropped output. */
  #cut = false;

  /** `changed` is called whenever there is something new to show. */
  constructor(private readonly changed: () => void) {}

  /** Shows what the page has printed below the cell's code. */
  print(outputs: readonly CellOutput[], code: string): void {
    this.shown = this.#printed = { outputs, code, own: false };
  }

  /** Runs the code, for at most `limit` milliseconds, in place of a run that is still going on. */
  async start(code: string, limit: number): Promise<void> {
    this.#end({ state: 'running' });
    const number = ++this.#number;
    this.#started = this.#cut = false;
    this.#code = code;
    this.#fresh = [];
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

  /** Ends the run and shows again what the page has printed. */
  clear(): void {
    this.#end({ state: 'idle' });
    this.shown = this.#printed;
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
      default:
        this.#add(told);
    }
  }

  #limitTo(limit: number): void {
    this.#started = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end({ state: 'late' }), limit);
  }

  #add(output: CellOutput): void {
    // The runtime keeps count as well, but a cell may have got round it.
    if (this.#fresh.length >= MOST_OUTPUTS) {
      this.#end({ state: 'garbled' });
      return;
    }
    this.#fresh = [...this.#fresh, output];
    // Those of the run before give way one by one, so that the page does not jump.
    this.#show([...this.#fresh, ...this.shown.outputs.slice(this.#fresh.length)]);
    this.changed();
  }

  #end(status: RunState): void {
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#number += 1;
    // Without a sandbox nothing has run: what stood there is still right.
    if (this.status.state === 'running' && !['running', 'unavailable'].includes(status.state)) this.#show(this.#fresh);
    this.status = status;
    this.changed();
  }

  #show(outputs: readonly CellOutput[]): void {
    this.shown = { outputs, code: this.#code, own: true };
  }
}

/** What keeps a run from beginning: a foreign import, or no network for the sandbox's parts. */
function asState(error: unknown): RunState {
  const { name, specifier, line } = error as { name?: string; specifier?: string; line?: number };
  if (name === 'ForeignImport') return { state: 'foreign', specifier: specifier ?? '', line: line ?? 1 };
  return { state: 'unavailable' };
}
