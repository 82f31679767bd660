/** tokenizer.json and tokenizer_config.json. */
export interface TokenizerFiles {
  readonly json: object;
  readonly config: object;
}

/** What a tokenizer's worker is asked. */
export interface TokenizerCalls {
  start(files: TokenizerFiles): void;
  /** The ids of a text's tokens. */
  encode(text: string): number[];
  /** The text of tokens, without the special ones. */
  decode(ids: readonly number[]): string;
  /** Tokens as the vocabulary writes them. */
  pieces(ids: readonly number[]): string[];
}

type Name = keyof TokenizerCalls;
type Given<N extends Name> = Parameters<TokenizerCalls[N]>[0];
type Result<N extends Name> = ReturnType<TokenizerCalls[N]>;

/** A message from the worker. */
export type TokenizerAnswer = { readonly result: unknown } | { readonly error: string };

/** The most seconds to read a vocabulary, which may be large, and to answer. */
const MOST = { start: 30, answer: 2 };

/** The tokenizer took longer than `detail` seconds. */
export class SlowTokenizer extends Error {
  readonly reason = 'slow';

  constructor(readonly detail: string) {
    super(`expected the tokenizer to need at most ${detail} seconds, but it needed more`);
    this.name = 'SlowTokenizer';
  }
}

/**
 * A checkpoint's tokenizer. It runs in a worker, because its regular expressions come from a file, and some never come
 * to an end. One that takes too long is ended with its worker; the next call starts another.
 */
export class Tokenizer {
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The previous call: the worker gets one at a time, so that each has its own limit. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(private readonly files: TokenizerFiles) {}

  /** Whether the vocabulary writes bytes as letters (BPE of GPT-2 and its kin). */
  get isByteLevel(): boolean {
    const { decoder, pre_tokenizer } = this.files.json as { decoder?: unknown; pre_tokenizer?: unknown };
    return JSON.stringify([decoder, pre_tokenizer]).includes('"ByteLevel"');
  }

  /** The token in place of what the vocabulary lacks; undefined if it has none. */
  get unknown(): string | undefined {
    const { model = {} } = this.files.json as {
      model?: { unk_token?: string | null; unk_id?: number | null; vocab?: [string, number][] };
    };
    return model.unk_token ?? model.vocab?.[model.unk_id ?? -1]?.[0];
  }

  /**
   * The worker's answer to a call.
   *
   * @throws SlowTokenizer if it takes too long, Error with the tokenizer's own message
   */
  ask<N extends Exclude<Name, 'start'>>(name: N, given: Given<N>): Promise<Result<N>> {
    const answer = this.#previous.then(async () => {
      await this.start();
      return this.#call(name, given, MOST.answer);
    });
    this.#previous = answer.catch(() => undefined);
    return answer;
  }

  /** Starts the worker, unless it is running. */
  async start(): Promise<void> {
    if (this.#worker !== undefined) return;
    this.#worker = new Worker(new URL('./tokenizer-worker.ts', import.meta.url), { type: 'module' });
    try {
      await this.#call('start', this.files, MOST.start);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Ends the worker. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #call<N extends Name>(name: N, given: Given<N>, seconds: number): Promise<Result<N>> {
    const worker = this.#worker!;
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => {
        this.dispose();
        reject(new SlowTokenizer(String(seconds)));
      }, 1000 * seconds);
      worker.onmessage = ({ data }: MessageEvent<TokenizerAnswer>) => {
        clearTimeout(this.#timer);
        if ('error' in data) reject(new Error(data.error));
        else resolve(data.result as Result<N>);
      };
      worker.onerror = ({ message }) => {
        this.dispose();
        reject(new Error(message));
      };
      worker.postMessage([name, given]);
    });
  }
}
