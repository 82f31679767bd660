import { read, readJson } from '../host.mjs';
import { Errors } from './check.mjs';

const folder = new URL('../../fixtures/stories260K/', import.meta.url);

/** The tensors of a safetensors file in which all are float32. */
function tensorsOf(bytes) {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  delete header.__metadata__;
  return Object.fromEntries(
    Object.entries(header).map(
      ([
        name,
        {
          shape,
          data_offsets: [begin, end],
        },
      ]) => [name, { data: new Float32Array(bytes.slice(8 + size + begin, 8 + size + end).buffer), shape }],
    ),
  );
}

/** Greedy tokens of a real language model, with a cache. */
export async function story({ count, worker = false }) {
  const [config, expected] = await Promise.all(
    ['config.json', 'expected.json'].map((name) => readJson(new URL(name, folder))),
  );
  const bytes = new Uint8Array(await read(new URL('model.safetensors', folder)));
  let first;
  return {
    kind: 'story',
    params: { count, worker },
    prompt: expected.tokens_in[0],
    config,
    bytes,
    tensors: tensorsOf(bytes),
    /** What follows the tokens that the fixture has is compared with the first contender's. */
    check({ tokens }) {
      const errors = new Errors();
      first ??= tokens;
      if (tokens.length !== count) throw new Error(`expected ${count} tokens, got ${tokens.length}`);
      for (let i = 0; i < count; i++) errors.compare(tokens[i], expected.tokens_out[i] ?? first[i], 1, 1);
      return errors;
    },
  };
}
