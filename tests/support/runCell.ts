import { runModule } from './runModule.js';

/** A tensor that a cell showed. */
export interface ShownTensor {
  readonly data: number[];
  readonly shape: number[];
}

/** One call of `show` (web/page/cells/README.md). */
export interface Shown {
  readonly call: 'show' | 'lines';
  readonly value: unknown;
  readonly options?: { kind?: string; columns?: number[] };
}

/** Runs a code cell and returns its outputs, with typed arrays as plain ones. Throws what the cell throws. */
export async function runCell(code: string): Promise<Shown[]> {
  const shown: Shown[] = [];
  const say =
    (call: Shown['call']) =>
    (value: unknown, options?: Shown['options']): void =>
      void shown.push({ call, value: plain(value), ...(options && { options }) });
  const cell = globalThis as { show?: unknown };
  cell.show = Object.assign(say('show'), { lines: say('lines') });
  try {
    await runModule(code);
  } finally {
    delete cell.show;
  }
  return shown;
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, part: unknown) =>
    ArrayBuffer.isView(part) ? [...(part as Float32Array)] : part,
  );
  return JSON.parse(text);
}
