import { fullAllowance, take, type CellFailure, type CellForeign, type CellOutput } from './messages.js';
import type { SandboxMessage } from './sandbox.js';

/** How long a sandbox may take to start, in milliseconds. */
const START_TIMEOUT = 15_000;
/** How long the page may take to draw the outputs of one run, in milliseconds. */
const MAX_DRAWING = 2000;

/** The state of a run, or how it has ended. */
export type RunState =
  | { readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'late' | 'cut' | 'garbled' | 'unavailable' }
  | { readonly state: 'failed'; readonly failure: CellFailure }
  | { readonly state: 'foreign'; readonly foreign: CellForeign };

/** The outputs below a cell. */
export interface ShownOutputs {
  readonly outputs: readonly CellOutput[];
  /** The code that produced them. */
  readonly code: string;
  /** Whether the reader ran it. */
  readonly own: boolean;
}

const NOTHING: ShownOutputs = { outputs: [], code: '', own: false };

/** A cell's runs, one after another, each in its own sandbox. */
export class CellRun {
  status: RunState = { state: 'idle' };
  shown = NOTHING;
  /** The outputs that the page was built with. */
  #printed = NOTHING;
  /** The outputs of this run so far. */
  #outputs: readonly CellOutput[] = [];
  /** What this run may still show, whatever the sandbox sends. */
  #left = fullAllowance();
  /** How long the page has drawn this run's outputs, in milliseconds. */
  #drawing = 0;
  #code = '';
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #number = 0;
  /** Whether the code has started, not only the sandbox. */
  #started = false;
  /** Whether the sandbox has dropped output. */
  #cut = false;

  /** `changed` is called when the cell has to render again. */
  constructor(private readonly changed: () => void) {}

  /** Shows the outputs that the page was built with. */
  print(outputs: readonly CellOutput[], code: string): void {
    this.shown = this.#printed = { outputs, code, own: false };
  }

  /** Runs the code for at most `limit` milliseconds, and ends a run that is still going on. */
  async start(code: string, limit: number): Promise<void> {
    this.#end({ state: 'running' });
    const number = ++this.#number;
    this.#started = this.#cut = false;
    this.#code = code;
    this.#outputs = [];
    this.#left = fullAllowance();
    this.#drawing = 0;
    try {
      const { runInSandbox } = await import('./sandbox.js');
      if (number !== this.#number) return;
      this.#timer = setTimeout(() => this.#end({ state: 'unavailable' }), START_TIMEOUT);
      this.#leave = runInSandbox(code, (message) => {
        // Messages sent before the end may arrive after it.
        if (number === this.#number) this.#receive(message, limit);
      });
    } catch {
      // No network to load the sandbox.
      if (number === this.#number) this.#end({ state: 'unavailable' });
    }
  }

  /** Ends the run. */
  stop(): void {
    if (this.status.state === 'running') this.#end({ state: 'stopped' });
  }

  /** Ends the run and restores the outputs that the page was built with. */
  clear(): void {
    this.#end({ state: 'idle' });
    this.shown = this.#printed;
  }

  /** Takes the time that the page has needed to draw, and ends a run that costs too much. */
  drew(milliseconds: number): void {
    if (this.status.state !== 'running') return;
    this.#drawing += milliseconds;
    if (this.#drawing > MAX_DRAWING) this.#end({ state: 'cut' });
  }

  #receive(message: SandboxMessage, limit: number): void {
    if (typeof message === 'string') {
      this.#end({ state: message });
      return;
    }
    switch (message.type) {
      case 'started':
        // Only once, so that the code cannot extend its own time.
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
        this.#end({ state: 'failed', failure: message });
        break;
      case 'foreign':
        this.#end({ state: 'foreign', foreign: message });
        break;
      default:
        this.#add(message);
    }
  }

  #limitTo(limit: number): void {
    this.#started = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end({ state: 'late' }), limit);
  }

  #add(output: CellOutput): void {
    // The runtime counts as well, but a cell may have circumvented it.
    if (!take(this.#left, output)) {
      this.#end({ state: 'cut' });
      return;
    }
    this.#outputs = [...this.#outputs, output];
    // The previous outputs are replaced one by one, so that the page does not jump.
    this.#show([...this.#outputs, ...this.shown.outputs.slice(this.#outputs.length)]);
    this.changed();
  }

  #end(status: RunState): void {
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#number += 1;
    // Without a sandbox nothing has run: keep the old outputs.
    if (this.status.state === 'running' && !['running', 'unavailable'].includes(status.state))
      this.#show(this.#outputs);
    this.status = status;
    this.changed();
  }

  #show(outputs: readonly CellOutput[]): void {
    this.shown = { outputs, code: this.#code, own: true };
  }
}
