/** Files of weights: reading returns what was written, and bytes that are not such a file are refused. */
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { expectClose } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw, Drawn } from './draw.js';

function someTensors(draw: Draw): Record<string, Drawn> {
  const names = ['weight', 'bias', 'a.b.c', 'ünïcode', ''].slice(0, draw.integer(0, 5));
  return Object.fromEntries(
    names.map((name) => [name, draw.numbers(Array.from({ length: draw.integer(0, 3) }, () => draw.axisOrNone()))]),
  );
}

function expectSame(found: ReturnType<typeof readSafetensors>, expected: Record<string, Drawn>): void {
  const [names, wanted] = [found, expected].map((tensors) => Object.keys(tensors).sort().join());
  if (names !== wanted) throw new Error(`expected tensors ${wanted}, got ${names}`);
  for (const [name, tensor] of Object.entries(expected)) expectClose(found[name], tensor, {});
}

export const fileCases = {
  writeSafetensors(draw: Draw): Case {
    const tensors = someTensors(draw);
    const formed = Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, draw.form(t)]));
    return {
      args: [formed],
      call: writeSafetensors,
      check: (bytes: Uint8Array) => expectSame(readSafetensors(bytes), tensors),
    };
  },

  readSafetensors(draw: Draw): Case {
    const tensors = someTensors(draw);
    const reads = draw.chance(0.5);
    const weightType = reads ? undefined : draw.pick(['float32', 'float16', 'int8'] as const);
    const bytes = writeSafetensors(tensors, { weightType });
    if (reads) {
      return {
        args: [draw.pick<unknown>([bytes, bytes.slice().buffer, new DataView(bytes.slice().buffer)])],
        call: readSafetensors,
        check: (found: ReturnType<typeof readSafetensors>) => expectSame(found, tensors),
      };
    }
    // A changed file is read or refused: changes in the numbers leave it valid.
    for (let i = draw.integer(1, 4); i > 0; --i) bytes[draw.integer(0, bytes.length - 1)] = draw.integer(0, 255);
    const cut = draw.chance(0.3) ? bytes.slice(0, draw.integer(0, bytes.length)) : bytes;
    return { args: [cut], call: refusable, check: () => undefined };
  },
};

/** Reads a file, or returns undefined if the library refuses it with its own kind of message. */
function refusable(bytes: Uint8Array): unknown {
  try {
    return readSafetensors(bytes);
  } catch (error) {
    const { name, message } = error as Error;
    if (/^(Range|Type)Error$/.test(name) && /^readSafetensors: expected .+, got /s.test(message)) return undefined;
    throw error;
  }
}
