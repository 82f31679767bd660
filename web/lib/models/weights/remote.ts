/** Files that a worker reads where `openModel` is called, piece by piece. */
import type { OpenModelOptions } from '../types.js';
import { isWeightFile, openSource, OwnFile, PIECE_BYTES, unlessAborted, type Source } from './source.js';

/** A file as the worker knows it. */
interface Description {
  readonly name: string | undefined;
  readonly size: number;
  readonly isSequential: boolean;
}

/** Asks for bytes of a file, in this buffer. */
export interface Want {
  readonly file: number;
  readonly start: number;
  readonly length: number;
  readonly until: number;
  readonly buffer: ArrayBuffer;
}

/** The buffer with the bytes, or why there are none. */
export type Bytes =
  | { readonly buffer: ArrayBuffer; readonly isForward: boolean }
  | { readonly buffer?: undefined; readonly error: string };

/** Stands for a file of those described. */
interface Token {
  readonly remote: number;
}

/** Options that can be sent to a worker, and what answers its wants. */
export interface Sendable {
  readonly options: object;
  readonly files: readonly Description[];
  /** Why a want was not answered. */
  failure(): unknown;
  readonly answer: (want: Want) => Promise<Bytes>;
  close(): void;
}

type Sent = Pick<OpenModelOptions, 'weights' | 'sentence'>;

/** Calls a function for the files in options, and puts what it returns in their place. */
function replaceFiles<Options extends Sent>(options: Options, replace: (file: unknown) => unknown): Options {
  const { weights, sentence } = options;
  const dense = sentence?.dense;
  return {
    ...options,
    weights: Array.isArray(weights) ? (weights as unknown[]).map(replace) : replace(weights),
    ...(Array.isArray(dense) && {
      sentence: {
        ...sentence,
        dense: (dense as { weights: unknown }[]).map((each) => ({
          ...each,
          weights: replace((Object(each) as { weights: unknown }).weights),
        })),
      },
    }),
  };
}

/** Options that stay where `openModel` is called. */
type Kept = 'attention' | 'imageConfig' | 'onProgress' | 'signal' | 'tokenizer';

/** Replaces files that are not in memory by tokens. */
export function toSend(given: OpenModelOptions, signal: AbortSignal | undefined): Sendable {
  const { config, weights, index, generationConfig, part, sentence, weightType, cacheType } = given;
  const sent = { config, weights, index, generationConfig, part, sentence, weightType, cacheType };
  sent satisfies Record<Exclude<keyof OpenModelOptions, Kept>, unknown>;
  const sources: Source[] = [];
  let failure: unknown;
  const options = replaceFiles(sent, (file) => {
    const source = isWeightFile(file) ? openSource(file) : undefined;
    return !source || source.bytes ? file : ({ remote: sources.push(source) - 1 } satisfies Token);
  });
  return {
    options,
    files: sources.map(({ name, size, isSequential = false }) => ({ name, size, isSequential })),
    failure: () => failure,
    answer: async ({ file, start, length, until, buffer }) => {
      const source = sources[file]!;
      try {
        await unlessAborted(signal, source.read(new Uint8Array(buffer, 0, length), start, until));
        return { buffer, isForward: source.isForward === true };
      } catch (error) {
        failure ??= error;
        return { error: String(error) };
      }
    },
    close: () => sources.forEach((source) => source.close()),
  };
}

/** Replaces the tokens by files that ask for their bytes. */
export function fromPage(
  options: OpenModelOptions,
  files: readonly Description[],
  ask: (want: Want) => Promise<Bytes>,
): OpenModelOptions {
  // One message is on its way at a time, with this memory.
  let buffer = new ArrayBuffer(PIECE_BYTES);
  const read = async (want: Omit<Want, 'buffer'>): Promise<{ piece: Uint8Array; isForward: boolean }> => {
    const bytes = await ask({ ...want, buffer });
    if (!bytes.buffer) throw new Error(bytes.error);
    buffer = bytes.buffer;
    return { piece: new Uint8Array(buffer, 0, want.length), isForward: bytes.isForward };
  };
  return replaceFiles(options, (given) => {
    const { remote: file } = Object(given) as Partial<Token>;
    return file === undefined || !files[file] ? given : new RemoteFile(files[file], (want) => read({ file, ...want }));
  });
}

type Read = (want: Omit<Want, 'buffer' | 'file'>) => Promise<{ piece: Uint8Array; isForward: boolean }>;

class RemoteFile extends OwnFile {
  readonly #isSequential: boolean;
  readonly #read: Read;

  constructor({ name, size, isSequential }: Description, read: Read) {
    super(name, size);
    this.#isSequential = isSequential;
    this.#read = read;
  }

  open(): Source {
    const read = this.#read;
    return {
      name: this.name,
      size: this.size,
      isSequential: this.#isSequential,
      isForward: false,
      async read(target, start, until) {
        for (let at = 0; at < target.length; at += PIECE_BYTES) {
          const length = Math.min(PIECE_BYTES, target.length - at);
          const { piece, isForward } = await read({ start: start + at, length, until });
          target.set(piece, at);
          (this as { isForward: boolean }).isForward = isForward;
        }
      },
      close: () => undefined,
    };
  }
}
