/** What is wrong in a GGUF file is refused by its name, before any memory is taken. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { openModel } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { checkpoint } from '../fixtures.js';
import { modelOf, PUBLISHED, WIDTH } from './published.js';
import { writeGguf, type FileTensor, type Keys, type Value, type WriteOptions } from './writer.js';

const { keys } = PUBLISHED.llama!;
const { tensors } = modelOf('llama', 'Q8_0');
const file = writeGguf(keys, tensors);

/** The message, after which nothing stays in memory. */
async function refusal(weights: Uint8Array<ArrayBuffer>): Promise<string> {
  const live = allocator.liveBytes;
  const messages: string[] = [];
  for (const given of [weights, new Blob([weights])]) {
    const error: unknown = await openModel({ weights: given, attention }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(RangeError);
    messages.push((error as Error).message);
  }
  expect(allocator.liveBytes).toBe(live);
  expect(messages[1]).toBe(messages[0]);
  return messages[0]!;
}

beforeAll(async () => (await openModel({ weights: file, attention })).dispose());

test('a file that ends early, at every byte of its header', async () => {
  const end = file.findIndex((_, i) => file.subarray(i, i + 4).every((byte, j) => byte === tensors[0]!.bytes[j]));
  expect(end).toBeGreaterThan(1000);
  const messages: string[] = [];
  for (let length = 1; length <= end; ++length) {
    const error: unknown = await openModel({ weights: file.slice(0, length), attention }).catch(
      (each: unknown) => each,
    );
    if (!(error instanceof RangeError)) messages.push(`${length}: ${String(error)}`);
    else if (!/^openModel: expected .*(key|tensor|GGUF|')/.test(error.message)) messages.push(error.message);
  }
  expect(messages).toEqual([]);
  expect(await refusal(file.slice(0, end + 10))).toMatch(/'token_embd.weight' to end within the file's \d+ bytes/);
});

const without = (key: string): Keys => Object.fromEntries(Object.entries(keys).filter(([each]) => each !== key));

test.each(Object.keys(keys))('without key %s', async (key) => {
  const given = openModel({ weights: writeGguf(without(key), tensors), attention });
  // As many as heads.
  if (key === 'llama.attention.head_count_kv') await expect(given).rejects.toThrow("'blk.0.attn_k.weight'");
  else await expect(given).rejects.toThrow(`key '${key}'`);
});

const changed = (name: string, change: Partial<FileTensor>): FileTensor[] =>
  tensors.map((tensor) => (tensor.name === name ? { ...tensor, ...change } : tensor));
const [EMBEDDING, NORM] = ['token_embd.weight', 'output_norm.weight'] as const;
const big = 2n ** 63n;
const ones = (count: number): Uint8Array => new Uint8Array(new Float32Array(count).fill(1).buffer);

describe('a wrong file', () => {
  test.each<[string, RegExp, Keys | (readonly [string, Value])[], readonly FileTensor[], WriteOptions?]>([
    ['of version 1', /version 2 or 3 of GGUF, got 1$/, keys, tensors, { version: 1 }],
    ['that is big-endian', /a little-endian file, got big-endian$/, keys, tensors, { version: 0x03000000 }],
    ['of 2^63 tensors', /9223372036854776000 tensors and 8 keys to end/, keys, tensors, { tensorCount: big }],
    ['of 2^63 keys', /tensors and 9223372036854776000 keys to end/, keys, tensors, { keyCount: big }],
    [
      'with a key twice',
      /each key once, got 'llama.block_count' twice/,
      [...Object.entries(keys), ['llama.block_count', ['u32', 1]]],
      tensors,
    ],
    ['with a tensor twice', /each name once, got 'output_norm.weight' twice/, keys, [...tensors, tensors[1]!]],
    [
      'of another architecture',
      /'general.architecture' to be one of llama, .*got 'mamba'/,
      { ...keys, 'general.architecture': ['string', 'mamba'] },
      tensors,
    ],
    [
      'whose architecture is a number',
      /'general.architecture' to be a string/,
      { ...keys, 'general.architecture': ['u32', 1] },
      tensors,
    ],
    [
      'whose size is a string',
      /'llama.block_count' to be a number/,
      { ...keys, 'llama.block_count': ['string', '1'] },
      tensors,
    ],
    [
      'whose size is too large',
      /config.num_hidden_layers to be a whole number/,
      { ...keys, 'llama.block_count': ['u64', big] },
      tensors,
    ],
    [
      'whose size is not whole',
      /config.max_position_embeddings to be a whole number/,
      { ...keys, 'llama.context_length': ['f32', 1.5] },
      tensors,
    ],
    [
      'whose sizes differ by layer',
      /config.num_key_value_heads/,
      { ...keys, 'llama.attention.head_count_kv': ['list', 'u32', [1, 2]] },
      tensors,
    ],
    ['whose heads do not divide', /config.head_dim/, { ...keys, 'llama.attention.head_count': ['u32', 6] }, tensors],
    [
      'whose epsilon is NaN',
      /config.rms_norm_eps to be a number above 0/,
      { ...keys, 'llama.attention.layer_norm_rms_epsilon': ['f32', NaN] },
      tensors,
    ],
    [
      'whose values are of another width',
      /'llama.attention.value_length' to be key_length/,
      { ...keys, 'llama.attention.value_length': ['u32', 32] },
      tensors,
    ],
    [
      'that turns a part of a head',
      /partial_rotary_factor/,
      { ...keys, 'llama.rope.dimension_count': ['u32', 32] },
      tensors,
    ],
    [
      'that sees both ways',
      /'llama.attention.causal' to be true/,
      { ...keys, 'llama.attention.causal': ['bool', 0] },
      tensors,
    ],
    ['with experts', /config.num_local_experts/, { ...keys, 'llama.expert_count': ['u32', 8] }, tensors],
    [
      'with an unknown scaling',
      /rope_type to be .*got 'bent'/,
      { ...keys, 'llama.rope.scaling.type': ['string', 'bent'], 'llama.rope.scaling.factor': ['f32', 2] },
      tensors,
    ],
    [
      'with a scaling without a factor',
      /'llama.rope.scaling.factor', got none/,
      { ...keys, 'llama.rope.scaling.type': ['string', 'linear'] },
      tensors,
    ],
    [
      'with unknown pooling',
      /'llama.pooling_type' to be a number from 0 to 4/,
      { ...keys, 'llama.pooling_type': ['u32', 9] },
      tensors,
    ],
    [
      'with divisors beside a scaling',
      /no tensor 'rope_freqs.weight' in llama/,
      { ...keys, 'llama.rope.scale_linear': ['f32', 2] },
      [...tensors, { name: 'rope_freqs.weight', shape: [32], type: 0, bytes: ones(32) }],
    ],
    ['that is a part', /'split.count' of 1\), got 3/, { ...keys, 'split.count': ['u16', 3] }, tensors],
    ['with an alignment of 0', /'general.alignment' to be a power of two/, keys, tensors, { alignment: 0 }],
    ['with an alignment of 4', /'general.alignment' to be a power of two/, keys, tensors, { alignment: 4 }],
    ['with an alignment of 48', /'general.alignment' to be a power of two/, keys, tensors, { alignment: 48 }],
    [
      'with an alignment that is a string',
      /'general.alignment' to be a power of two/,
      { ...keys, 'general.alignment': ['string', '32'] },
      tensors,
    ],
    [
      'with a matrix of no dimensions',
      /tensor 'token_embd.weight' of 1 to 4 dimensions, got 0/,
      keys,
      changed(EMBEDDING, { shape: [] }),
    ],
    [
      'with a matrix of five dimensions',
      /tensor 'token_embd.weight' of 1 to 4 dimensions, got 5/,
      keys,
      changed(EMBEDDING, { shape: [1, 1, 1, 48, 256] }),
    ],
    [
      'with a dimension of 0',
      /tensor 'token_embd.weight' with dimensions of at least 1/,
      keys,
      changed(EMBEDDING, { shape: [0, 256] }),
    ],
    [
      'with a dimension of 2^63',
      /tensor 'token_embd.weight' with dimensions of at least 1 that fit/,
      keys,
      changed(EMBEDDING, { shape: [big, 256] }),
    ],
    [
      'with dimensions of a large product',
      /tensor 'token_embd.weight' with dimensions of at least 1 that fit/,
      keys,
      changed(EMBEDDING, { shape: [2n ** 32n, 2n ** 32n] }),
    ],
    [
      'with more rows than bytes',
      /'token_embd.weight' to end within the file|'.*' to begin at byte/,
      keys,
      changed(EMBEDDING, { shape: [2 ** 30, 256] }),
    ],
    [
      'with rows of no whole blocks',
      /tensor 'token_embd.weight' of Q8_0 with rows of a multiple of 32, got 255/,
      keys,
      changed(EMBEDDING, { shape: [48, 255] }),
    ],
    ['with tensors that overlap', /'.*' to begin at byte \d+ or later/, keys, changed(NORM, { offset: 64 })],
    ['with a tensor past the end', /'output_norm.weight' to end within/, keys, changed(NORM, { offset: 2 ** 30 })],
    ['with a tensor at 2^63', /'output_norm.weight' to end within/, keys, changed(NORM, { offset: big })],
    [
      'with a tensor at no multiple',
      /tensor 'output_norm.weight' at a multiple of 32 bytes, got 8/,
      keys,
      changed(NORM, { offset: 8 }),
    ],
    [
      'with a matrix in Q2_K',
      /'token_embd.weight' to be F32, F16, .*Q6_K.*got Q2_K/,
      keys,
      changed(EMBEDDING, { type: 10 }),
    ],
    [
      'with a matrix of an unknown type',
      /'token_embd.weight' to be .*got type 77/,
      keys,
      changed(EMBEDDING, { type: 77 }),
    ],
    [
      'with a matrix of another shape',
      /'blk.0.ffn_up.weight' of shape \(256, 256\), got \(128, 512\)/,
      keys,
      changed('blk.0.ffn_up.weight', { shape: [128, 512] }),
    ],
    [
      'with a vector for an embedding',
      /'token_embd.weight' of two dimensions, got 1/,
      keys,
      changed(EMBEDDING, { shape: [48 * 256] }),
    ],
    [
      'with divisors of another length',
      /'rope_freqs.weight' of shape \(32,\), got \(64,\)/,
      keys,
      [...tensors, { name: 'rope_freqs.weight', shape: [64], type: 0, bytes: new Uint8Array(256) }],
    ],
    [
      'with divisors of 0',
      /'rope_freqs.weight' to hold numbers above 0, got 0/,
      keys,
      [...tensors, { name: 'rope_freqs.weight', shape: [32], type: 0, bytes: new Uint8Array(128) }],
    ],
  ])('%s', async (_, message, given, parts, options = {}) => {
    expect(await refusal(writeGguf(given, parts, options))).toMatch(message);
  });

  /** A value of key 'x', by its bytes. */
  const withValue = (type: number, ...bytes: number[]): Uint8Array<ArrayBuffer> => {
    const one = writeGguf({ x: ['u32', 0] }, []);
    const at = 24 + 8 + 1;
    const whole = new Uint8Array(at + 4 + bytes.length + 64);
    whole.set(one.subarray(0, at));
    whole.set([type, 0, 0, 0, ...bytes], at);
    return whole;
  };
  const u64 = (value: bigint): number[] => [...new Uint8Array(BigUint64Array.of(value).buffer)];

  test.each<[string, RegExp, Uint8Array<ArrayBuffer>]>([
    ['of an unknown type', /key 'x' of a type from 0 to 12, got 13/, withValue(13)],
    [
      'that is a string of 2 GB',
      /key 'x' to end within the file's \d+ bytes, got byte 2147/,
      withValue(8, ...u64(2n ** 31n)),
    ],
    [
      'that is a string of 2^63 bytes',
      /key 'x' to end within the file's \d+ bytes, got byte 9223/,
      withValue(8, ...u64(big)),
    ],
    ['that is a list of 2^63 numbers', /key 'x' to end within the file's/, withValue(9, 4, 0, 0, 0, ...u64(big))],
    ['that is a list of 2^63 strings', /key 'x' to end within the file's/, withValue(9, 8, 0, 0, 0, ...u64(big))],
    ['that is a list of lists', /key 'x' to hold numbers or strings, got arrays/, withValue(9, 9, 0, 0, 0, ...u64(1n))],
    [
      'that is a list of an unknown type',
      /key 'x' of a type from 0 to 12, got 99/,
      withValue(9, 99, 0, 0, 0, ...u64(1n)),
    ],
    [
      'that is a list with a string of 2^63 bytes',
      /key 'x' to end within the file's/,
      withValue(9, 8, 0, 0, 0, ...u64(1n), ...u64(big)),
    ],
  ])('with a value %s', async (_, message, weights) => {
    expect(await refusal(weights)).toMatch(message);
  });

  test('with a name of 2^63 bytes', async () => {
    const one = writeGguf({ x: ['u32', 0] }, []);
    one.set(u64(big), 24);
    expect(await refusal(one)).toMatch(/key 0 of at most 65535 bytes/);
  });
});

describe.each(Object.keys(PUBLISHED))('what %s has not, although it would change results', (architecture) => {
  const { keys: own } = PUBLISHED[architecture]!;
  const all = modelOf(architecture, 'F16').tensors;
  const isEncoder = architecture.endsWith('bert');
  const values: Keys = {
    'attention.causal': ['bool', isEncoder ? 1 : 0],
    'attention.clamp_kqv': ['f32', 8],
    'attention.max_alibi_bias': ['f32', 8],
    'attention.scale': ['f32', 0.5],
    'attention.sliding_window': ['u32', 3],
    'attention.temperature_scale': ['f32', 0.1],
    attn_logit_softcapping: ['f32', 50],
    final_logit_softcapping: ['f32', 30],
    embedding_scale: ['f32', 12],
    logit_scale: ['f32', 0.5],
    residual_scale: ['f32', 0.5],
    'rope.scaling.type': ['string', 'longrope'],
    // llama.cpp takes it for linear.
    'rope.scaling.factor': ['f32', 2],
    'rope.scaling.attn_factor': ['f32', 1.25],
    'rope.scaling.yarn_attn_factor': ['f32', 1.25],
    'rope.scaling.yarn_ext_factor': ['f32', 0.5],
    'rope.scaling.yarn_log_multiplier': ['f32', 1],
  };
  const isRead = (key: string): boolean =>
    (/window|final/.test(key) && architecture === 'gemma3') ||
    (key.endsWith('window') && architecture === 'phi3') ||
    // There is nothing to scale.
    (key.endsWith('.type') && /bert|gpt2/.test(architecture));

  test.each(Object.keys(values).filter((key) => !isRead(key)))('key %s', async (key) => {
    const name = `${architecture}.${key}`;
    const message = await refusal(writeGguf({ ...own, [name]: values[key]! }, all));
    expect(message).toMatch(
      key.endsWith('.type')
        ? /longrope|short|_factor/
        : key === 'attention.causal'
          ? `key '${name}' to be `
          : `no key '${name}', got `,
    );
  });

  test.each([
    ['rope_factors_long.weight', 32],
    ['blk.0.attn_output.scale', 1],
    ['blk.0.attn_sinks', 4],
    ['blk.1.attn_norm.weight', WIDTH],
    ['dense_2.bias', WIDTH],
    ...(isEncoder ? [] : ([['token_embd_norm.weight', WIDTH]] as const)),
    ...(architecture === 'llama' ? [] : ([['rope_freqs.weight', 32]] as const)),
  ])('tensor %s', async (name, count) => {
    const message = await refusal(writeGguf(own, [...all, { name, shape: [count], type: 0, bytes: ones(count) }]));
    expect(message).toMatch(
      architecture === 'phi3' && name.includes('long') ? 'rope_factors_short' : `no tensor '${name}'`,
    );
  });
});

test('divisors of frequencies without the others are refused', async () => {
  const { keys: own } = PUBLISHED.phi3!;
  const all = modelOf('phi3', 'F32').tensors;
  const one = { name: 'rope_factors_long.weight', shape: [24], type: 0, bytes: new Uint8Array(96) };
  expect(await refusal(writeGguf(own, [...all, one]))).toContain("a tensor 'rope_factors_short.weight', got none");
  const scaled: Keys = { ...own, 'phi3.rope.scaling.type': ['string', 'longrope'] };
  expect(await refusal(writeGguf(scaled, all))).toContain("a tensor 'rope_factors_short.weight', got none");
});

test('a large file that says it has a long header is read no further than a header goes', async () => {
  let most = 0;
  const head = writeGguf({ x: ['string', ''] }, []);
  const view = new DataView(head.buffer);
  view.setBigUint64(24 + 8 + 1 + 4, 2n ** 31n, true);
  const weights = {
    size: 2 ** 40,
    slice: (start: number, end: number) => ({
      arrayBuffer: () => {
        most = Math.max(most, end);
        const part = new Uint8Array(end - start);
        part.set(head.subarray(start, end));
        return Promise.resolve(part.buffer);
      },
    }),
    stream: () => new Blob([]).stream(),
  };
  await expect(openModel({ weights, attention })).rejects.toThrow(
    /key 'x' to end within the 100000000 bytes of a header/,
  );
  expect(most).toBe(2 ** 16);
});

test('a config beside it, and no config beside anything else', async () => {
  const { config, bytes } = checkpoint('gpt2');
  await expect(openModel({ config, weights: file, attention })).rejects.toThrow(
    'openModel: expected no config beside a GGUF file, which has its own, got both',
  );
  for (const weights of [bytes, [file, file], {}, []]) {
    const error: unknown = await openModel({ weights, attention } as never).catch((each: unknown) => each);
    expect(String(error)).toMatch(
      /^(TypeError: openModel: expected config to be an object|RangeError.*at least one file)/,
    );
  }
});

test('a file is named in errors', async () => {
  const weights = new File([file.slice(0, 200)], 'small.gguf');
  await expect(openModel({ weights, attention })).rejects.toThrow(/in 'small\.gguf', got/);
  const other = new File(['nothing'], 'other.gguf');
  await expect(openModel({ weights: other, attention })).rejects.toThrow(/in 'other\.gguf', got/);
});
