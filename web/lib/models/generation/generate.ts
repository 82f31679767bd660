import { wrongUse, wrongValue } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import { storeOf } from '../../steps/cache.js';
import type { Architecture } from '../config/architecture.js';
import { checkSettings, passOver, type Run } from '../pass/check.js';
import { countOf } from '../pass/padding.js';
import type { Program } from '../pass/types.js';
import { otherFactors } from '../rotary.js';
import { toPrompts, type Prompts, type Tokens } from '../tokens.js';
import type { GenerateOptions, ModelCache } from '../types.js';
import { checkGeneration, OPERATION } from './options.js';
import { refuseLogits } from './refuseLogits.js';
import { writer } from './sampling.js';

/** The initial capacity of a cache beyond the prompt, since a model may allow a hundred thousand tokens. */
const FIRST_TOKENS = 64;
/** Milliseconds, a frame, after which other tasks may run. */
const TIME_SLICE = 16;

/** The model that generates. */
export interface Generator {
  /** To which caches belong. */
  readonly owner: object;
  readonly architecture: Architecture;
  /** Whether logits are of tokens, not of classes. */
  readonly predicts: boolean;
  /** Runs a pass. */
  readonly run: Run;
  /** Makes a cache, also for more tokens than the model has positions, since padding needs none. */
  readonly createCache: (batch: number, capacity: number) => ModelCache;
}

/** See `Model.generate`: a token at a time, or one for each row of a list of prompts. */
export async function* generate(
  { owner, architecture: a, predicts, run, createCache }: Generator,
  ids: Prompts,
  options: GenerateOptions | undefined,
): AsyncGenerator<number | number[]> {
  const given = checkGeneration(options, a.vocab);
  const { maxTokens, sampling, seed, signal, forward } = given;
  const decoder = a.tasks.CausalLM?.decoder;
  if (!a.causal || decoder === undefined) wrongUse(OPERATION, 'a decoder', a.family);
  if (!predicts) {
    const wanted = `'${decoder}.weight', or config.tie_word_embeddings to be true`;
    wrongUse(OPERATION, `a checkpoint with a head that predicts tokens (${wanted})`, 'one without');
  }
  const { prompts, isList } = toPrompts(OPERATION, ids, a.vocab);
  const settings = checkSettings(OPERATION, a, forward, true);
  const positions = forward.positions as 'none' | undefined;
  const stops = given.stopTokens ?? a.eos;
  const batch = prompts.length;
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);

  const store = given.cache === undefined ? undefined : storeOf(OPERATION, given.cache, owner, batch, 0);
  if (maxTokens === 0) return;
  /** How many tokens may follow where there is this room; the last one needs none. */
  const limitOf = (room: number, length: number): number =>
    length > room ? wrongValue(OPERATION, `up to ${room} tokens`, length) : Math.min(maxTokens, room - length + 1);
  const limitOfAll = store ? limitOf(store.sizes.capacity - store.length, longest) : Infinity;
  const limits = prompts.map(({ length }, b) =>
    Math.min(limitOfAll, limitOf(a.maxLength - (store ? countOf(store, b) : 0), length)),
  );
  const limit = limits.reduce((most, each) => Math.max(most, each));
  const capacity = longest + limit - 1;
  let own = store ? undefined : createCache(batch, Math.min(capacity, longest + FIRST_TOKENS));
  try {
    const writers = prompts.map((prompt, b) => writer(sampling, prompt, seed + b));
    const logits = new Float32Array(batch * a.vocab);
    const logitsOf = (b: number): Float32Array => logits.subarray(b * a.vocab, (b + 1) * a.vocab);
    const read = (memory: Memory, program: Program): unknown =>
      memory.read(program.logits!.address, logits.length, logits);
    let next = paddedLeft(prompts, longest);
    const written: Tokens[] = [];
    const isStale = otherFactors(a);
    let length = 0;
    let isLive = prompts.map(() => true);
    let changes = store?.changes;
    let sliceStart = performance.now();
    for (let count = 1; isLive.includes(true) && !signal?.aborted; ++count) {
      if (own && own.length + next.tokens > own.maxLength) {
        const larger = createCache(batch, Math.min(capacity, 2 * own.maxLength));
        storeOf(OPERATION, own, owner, batch, 0).copyTo(storeOf(OPERATION, larger, owner, batch, 0));
        own.dispose();
        own = larger;
      }
      const cache = storeOf(OPERATION, own ?? given.cache, owner, batch, next.tokens);
      if (store?.changes !== changes) {
        wrongUse(OPERATION, 'the cache to stay unchanged between tokens', 'a changed one');
      }
      let pass = passOver(a, settings, next, cache, positions);
      written.push(next);
      if (own && length > 0 && isStale(length, pass.length)) {
        // As transformers does, where longrope's factors change.
        cache.truncate(0);
        pass = passOver(a, settings, joined(written), cache, positions);
      }
      ({ length } = pass);
      run(pass, read);
      changes = store?.changes;
      const tokens = isLive.map((live, b) => {
        if (!live) return -1;
        const token = writers[b]!(logitsOf(b));
        return token >= 0
          ? token
          : refuseLogits(run, pass, a, (memory, program) => (read(memory, program), logitsOf(b)));
      });
      isLive = tokens.map((token, b) => token >= 0 && !stops.has(token) && count < limits[b]!);
      const data = new Int32Array(tokens.map((token) => Math.max(token, 0)));
      next = { batch, tokens: 1, data, mask: isLive.includes(false) ? Uint8Array.from(isLive, Number) : undefined };
      yield isList ? tokens : tokens[0]!;
      if (performance.now() - sliceStart > TIME_SLICE) {
        await nextTask();
        sliceStart = performance.now();
      }
    }
  } finally {
    own?.dispose();
  }
}

/** Rows that end together, behind padding. */
function paddedLeft(rows: readonly (readonly number[])[], tokens: number): Tokens {
  const data = new Int32Array(rows.length * tokens);
  const mask = new Uint8Array(data.length);
  rows.forEach((row, b) => {
    const end = (b + 1) * tokens;
    data.set(row, end - row.length);
    mask.fill(1, end - row.length, end);
  });
  return { batch: rows.length, tokens, data, mask: mask.includes(0) ? mask : undefined };
}

/** Lists of rows, one after another. */
function joined(parts: readonly Tokens[]): Tokens {
  const { batch } = parts[0]!;
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const data = new Int32Array(batch * tokens);
  const mask = new Uint8Array(data.length).fill(1);
  let at = 0;
  for (const part of parts) {
    for (let b = 0; b < batch; ++b) {
      const [from, to] = [b * part.tokens, (b + 1) * part.tokens];
      data.set(part.data.subarray(from, to), b * tokens + at);
      if (part.mask) mask.set(part.mask.subarray(from, to), b * tokens + at);
    }
    at += part.tokens;
  }
  return { batch, tokens, data, mask: mask.includes(0) ? mask : undefined };
}

/** Lets other tasks run. A timer would take a millisecond, but Next's edge runtime refuses to make channels. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    try {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(0);
    } catch {
      setTimeout(resolve);
    }
  });
}
