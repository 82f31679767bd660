/** Unusual options and arrays in a worker, and mistakes in its arguments. */
import { load } from 'wasm-attention';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let there: AsyncWasmAttention;
const here = await load();
beforeAll(async () => {
  there = await loadWorker();
});
afterAll(() => there.dispose());

const tensor = (...shape: number[]) => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i)),
  shape,
});
const x = tensor(2, 3, 4);

describe('options in a worker', () => {
  const plain = { isCausal: true, validLens: [3, 2] };

  it('are refused if they are inherited', async () => {
    const inherited = Object.create(plain) as typeof plain;
    const refused = new TypeError("scaledDotProductAttention: expected an own 'isCausal', got an inherited one");
    expect(() => here.scaledDotProductAttention(x, x, x, inherited)).toThrow(refused);
    await expect(there.scaledDotProductAttention(x, x, x, inherited)).rejects.toThrow(refused);
  });

  it.each(['__proto__', 'constructor', 'toString'])('may have any name, and are refused alike: %s', async (name) => {
    const options = JSON.parse(`{ "${name}": { "isCausal": true, "validLens": [0, 0] } }`) as object;
    expect(() => here.scaledDotProductAttention(x, x, x, options)).toThrow(TypeError);
    await expect(there.scaledDotProductAttention(x, x, x, options)).rejects.toThrow(`'${name}'`);
    const state = JSON.parse(`{ "weight": [[1, 2], [3, 4]], "bias": [0, 0], "${name}": [[9]] }`) as never;
    const layer = await new there.Linear({ inFeatures: 2, outFeatures: 2 });
    await expect(layer.loadStateDict(state)).rejects.toThrow(`no names but weight, bias, got ${name}`);
    // Nothing was written into the prototype of the worker's objects, so it still answers.
    const withSymbol = JSON.parse(`{ "${name}": { "a": 1 } }`) as Record<string, Record<string, unknown>>;
    const inner = Object.getOwnPropertyDescriptor(withSymbol, name)!.value as Record<string, unknown>;
    inner.isCausal = () => undefined;
    await expect(there.scaledDotProductAttention(x, x, x, withSymbol)).rejects.toThrow(TypeError);
    expect(await there.scaledDotProductAttention(x, x, x, plain)).toEqual(
      here.scaledDotProductAttention(x, x, x, plain),
    );
  });

  it('are refused if they are unknown', async () => {
    await expect(there.scaledDotProductAttention(x, x, x, { is_causal: true } as object)).rejects.toThrow(
      new TypeError("scaledDotProductAttention: expected known options (the nearest is isCausal), got 'is_causal'"),
    );
  });

  it("are refused if they are unknown by a layer's methods", async () => {
    const layer = await new there.MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    await expect(layer.forward(x, x, x, { train: true } as object)).rejects.toThrow(
      /nearest is training\), got 'train'/,
    );
    await expect(layer.createCache({ batch: 1, max_length: 2 } as never)).rejects.toThrow(/nearest is maxLength/);
  });

  it('are refused if they are unknown by with', async () => {
    expect(() => there.with({ sgnal: new AbortController().signal } as object)).toThrow(
      new TypeError("with: expected known options (the nearest is signal), got 'sgnal'"),
    );
    const layer = await new there.MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    expect(() => layer.with({ onprogress: () => undefined } as object)).toThrow(
      /^MultiHeadAttention\.with: .*onProgress/,
    );
  });

  it('are refused if they are unknown by assign and loadWorker', async () => {
    const layer = await new there.MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    const adam = await new there.Adam(await layer.parameters());
    await expect(adam.assign({ learningRate: 1 } as object)).rejects.toThrow(
      /^assign: .*nearest is lr\), got 'learningRate'/,
    );
    await expect((await layer.parameters())[0]!.assign({ data: 1 } as object)).rejects.toThrow(TypeError);
    await expect(loadWorker({ thread: 2 } as object)).rejects.toThrow(
      new TypeError("loadWorker: expected known options (the nearest is threads), got 'thread'"),
    );
  });

  const output = new Float32Array(24);
  const refused = /: expected no out, since a worker has its own memory, got one$/;
  it.each<[string, () => Promise<unknown>]>([
    ['attention', () => there.scaledDotProductAttention(x, x, x, { out: { output } } as object)],
    ['an encoding', () => there.sinusoidalEncoding({ length: 2, dim: 2, out: output } as never)],
    [
      'a layer',
      async () => (await new there.LayerNorm({ normalizedShape: 4 })).forward(x, { out: { output } } as object),
    ],
  ])('have no array for the result of %s, which nothing would fill', async (_, call) => {
    await expect(call()).rejects.toThrow(refused);
  });

  it('have no arrays for gradients, which could not be filled', async () => {
    const layer = await new there.LayerNorm({ normalizedShape: 4 });
    const { backward } = await layer.forward(x, { training: true });
    await expect(backward!(x, { out: { input: output } })).rejects.toThrow(refused);
    // The call was not made.
    await expect(backward!(x)).resolves.toBeDefined();
  });
});

describe('arrays in a worker', () => {
  it('that are only array-like give the same as here', async () => {
    const given = { data: Object.assign({ length: 24 }, Array.from(x.data)), shape: x.shape };
    const expected = here.rotaryEmbedding(x);
    expect(here.rotaryEmbedding(given)).toEqual(expected);
    expect(await there.rotaryEmbedding(given)).toEqual(expected);
  });

  it('that are detached give the same message as here', async () => {
    const gone = new Float32Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    const given = { data: gone, shape: [2, 2] };
    const expected = await outcome(() => here.tensor(given));
    expect(expected).toMatchObject({ name: 'RangeError' });
    expect(await outcome(() => there.tensor(given))).toEqual(expected);
  });

  it('that are detached are never reported as uncloneable data', async () => {
    const gone = new Float32Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    const given = { data: gone, shape: [2, 2] };
    const layer = await new there.Linear({ inFeatures: 2, outFeatures: 2 });
    for (const call of [
      there.with({ transfer: true }).tensor(given),
      there.with({ transfer: true }).rotaryEmbedding(given),
      layer.with({ transfer: true }).forward(given),
    ]) {
      await expect(call).rejects.toThrow(/: expected \w+ of shape \(2, 2\) to hold 4 elements, got 0$/);
    }
  });
});

describe('call options', () => {
  it('name what cannot be transferred', async () => {
    const gone = new Float32Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    for (const part of [gone, gone.buffer]) {
      await expect(there.with({ transfer: [part] }).tensor([1])).rejects.toThrow(
        new TypeError('tensor: expected transfer to list buffers in use, got a detached one'),
      );
    }
    for (const transfer of [5, 'x', [1], [{}], [new SharedArrayBuffer(4)]] as never[]) {
      await expect(there.with({ transfer }).tensor([1])).rejects.toThrow(/^tensor: expected transfer to .+, got /);
    }
    await expect(there.with({ signal: 5 as never }).tensor([1])).rejects.toThrow(
      /^tensor: expected signal to be an AbortSignal, got 5$/,
    );
    await expect(there.tensor(Promise.resolve([1]) as never)).rejects.toThrow(TypeError);
    expect(await there.tensor([1])).toEqual(here.tensor([1]));
  });
});

describe('a cache in a worker', () => {
  it('can be truncated and reordered', async () => {
    const options = { numHiddens: 4, numHeads: 2, seed: 1 };
    const layer = new here.MultiHeadAttention(options);
    const remote = await new there.MultiHeadAttention(options);
    const cache = layer.createCache({ batch: 2, maxLength: 6 });
    const remoteCache = await remote.createCache({ batch: 2, maxLength: 6 });
    layer.forward(x, x, x, { cache });
    await remote.forward(x, x, x, { cache: remoteCache });
    cache.truncate(2);
    cache.reorder([1, 1]);
    await remoteCache.truncate(2);
    await remoteCache.reorder(Int32Array.of(1, 1));
    expect(await remoteCache.length).toBe(2);
    expect((await remote.forward(x, x, x, { cache: remoteCache })).output).toEqual(
      layer.forward(x, x, x, { cache }).output,
    );
    await expect(remoteCache.truncate(9)).rejects.toThrow(/^KeyValueCache\.truncate: expected length/);
    await expect(remoteCache.assign({ maxLength: 9 })).rejects.toThrow(TypeError);
  });
});

describe('an interrupted download', () => {
  it('is reported as one', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 1000 });
      response.write(new Uint8Array(8));
      setTimeout(() => response.destroy(), 50);
    });
    await new Promise<void>((resolve) => void server.listen(0, resolve));
    const url = `http://localhost:${(server.address() as AddressInfo).port}/a.wasm`;
    try {
      const expected = /^load(Worker)?: expected the (whole )?wasm, got .*terminated/;
      await expect(loadWorker({ wasm: url })).rejects.toThrow(expected);
      await expect(loadWorker({ wasm: fetch(url) })).rejects.toThrow(expected);
    } finally {
      server.close();
    }
  });
});

/** What a call gives or throws. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

describe('nested lists in a worker', () => {
  it.each([201, 20_000])('of %d levels are refused', async (levels) => {
    let deep: unknown = [];
    for (let i = 0; i < levels; ++i) deep = [deep];
    await expect(there.maskedSoftmax(deep as number[][][])).rejects.toThrow(
      /^.+: expected arguments of at most 200 levels, got a deeper one$/,
    );
  });
});
