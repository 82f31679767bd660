import { readMessage, MOST_OUTPUTS, type CellFailure, type CellOutput } from './messages.js';
import type { CellProgram } from './program.js';

/** How a run has ended, or that it has not. */
export type RunState =
  | { readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'late' | 'cut' | 'garbled' | 'unavailable' }
  | { readonly state: 'failed'; readonly failure: CellFailure }
  | { readonly state: 'foreign'; readonly specifier: string; readonly line: number };

/** One run of a cell after another, each in a worker of its own, which is ended with it. */
export class CellRun {
  status: RunState = { state: 'idle' };
  outputs: readonly CellOutput[] = [];
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #number = 0;
  /** The worker has dropped output. */
  #cut = false;
  /** What is shown is the run's before. */
  #stale = false;

  /** `changed` is called whenever there is something new to show. */
  constructor(private readonly changed: () => void) {}

  /** Runs the code, for at most `limit` milliseconds, in place of a run that is still going on. */
  async start(code: string, limit: number): Promise<void> {
    this.#end({ state: 'running' });
    const number = ++this.#number;
    this.#cut = false;
    this.#stale = true;
    try {
      const { prepareRun } = await import('./prepare-run.js');
      const { program, wasm } = prepareRun(code);
      if (number === this.#number) this.#launch(program, wasm, limit);
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

  #launch(program: CellProgram, wasm: Uint8Array, limit: number): void {
    const url = URL.createObjectURL(new Blob([program.script], { type: 'text/javascript' }));
    const worker = new Worker(url);
    this.#worker = worker;
    this.#timer = setTimeout(() => this.#end({ state: 'late' }), limit);
    worker.addEventListener('message', ({ data }) => {
      URL.revokeObjectURL(url);
      // What a worker said before it was ended may arrive after.
      if (worker === this.#worker) this.#take(data);
    });
    worker.addEventListener('messageerror', () => {
      if (worker === this.#worker) this.#end({ state: 'garbled' });
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      URL.revokeObjectURL(url);
      if (worker === this.#worker) this.#end(asSyntaxError(event, program));
    });
    worker.postMessage({ wasm });
  }

  #take(data: unknown): void {
    const message = readMessage(data);
    switch (message?.type) {
      case 'done':
        this.#end({ state: this.#cut ? 'cut' : 'done' });
        break;
      case 'cut':
        this.#cut = true;
        break;
      case 'failed':
        this.#end({ state: 'failed', failure: message });
        break;
      case undefined:
        this.#end({ state: 'garbled' });
        break;
      case 'text':
      case 'log':
      case 'heatmap':
      case 'lines':
        this.#add(message);
    }
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
    this.#worker?.terminate();
    this.#worker = undefined;
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

/** What keeps a run from beginning: a foreign import; or there is no worker, or no network for its parts. */
function asState(error: unknown): RunState {
  const { name, specifier, line } = error as { name?: string; specifier?: string; line?: number };
  if (name === 'ForeignImport') return { state: 'foreign', specifier: specifier ?? '', line: line ?? 1 };
  return { state: 'unavailable' };
}

/** A script that cannot be parsed reports where; one that cannot be loaded reports nothing. */
function asSyntaxError({ message, lineno }: ErrorEvent, { firstLine, lines }: CellProgram): RunState {
  if (typeof message !== 'string' || !(lineno > 0)) return { state: 'unavailable' };
  const [, name = 'Error', text = message] = /(\w*Error): ([\s\S]*)/.exec(message) ?? [];
  // An end that comes too early is found behind the last line.
  const line = Math.min(lines, Math.max(1, lineno - firstLine + 1));
  return { state: 'failed', failure: { type: 'failed', name, message: text, line } };
}
