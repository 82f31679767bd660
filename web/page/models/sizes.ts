import type { Checkpoint } from 'wasm-attention/models';

/** How a model's matrices are kept in memory. */
export const TYPES = ['float32', 'int8'] as const;
export type WeightType = (typeof TYPES)[number];

/** The numbers of a checkpoint's weights, the bytes of its files, and those that the weights take in memory. */
export interface Sizes extends Record<WeightType, number> {
  readonly count: number;
  /** The type that most of the numbers have in the files: `int8`, or as a GGUF file names it `Q4_K`. */
  readonly type: string;
  readonly files: number;
}

type WeightFile = Checkpoint['weights'][number];
type Shape = readonly number[];

interface Weight {
  readonly shape: Shape;
  readonly type: string;
}

/** The types of safetensors that the page calls otherwise, and the types in a GGUF file by their numbers. */
const NAMES: Readonly<Record<string, string>> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  I8: 'int8',
};
const GGUF: Readonly<Record<number, string>> = {
  0: 'float32',
  1: 'float16',
  2: 'Q4_0',
  3: 'Q4_1',
  6: 'Q5_0',
  7: 'Q5_1',
  8: 'Q8_0',
  12: 'Q4_K',
  13: 'Q5_K',
  14: 'Q6_K',
  30: 'bfloat16',
};

/** The bytes of a value in a GGUF file, by its type's number; two types have none. */
const [STRING, ARRAY] = [8, 9];
const VALUES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];
/** The most bytes of a header, of which a GGUF file's has the vocabulary. */
const MOST = 2 ** 26;

/** Reads the headers of the files; undefined for what is no file of weights, which the library refuses in words. */
export async function sizesOf(files: readonly WeightFile[]): Promise<Sizes | undefined> {
  try {
    const weights = (await Promise.all(files.map(weightsIn))).flat();
    const sum = (size: (shape: Shape, type: string) => number): number =>
      weights.reduce((all, { shape, type }) => all + size(shape, type), 0);
    const count = sum(sizeOf);
    const countOf = (type: string): number => sum((shape, other) => (other === type ? sizeOf(shape) : 0));
    const types = [...new Set(weights.map(({ type }) => type))];
    return {
      count,
      type: types.sort((a, b) => countOf(b) - countOf(a))[0] ?? '',
      files: files.reduce((all, { size }) => all + size, 0),
      float32: 4 * count,
      // A byte for each number of a matrix, and a scale for 128 of them.
      int8: sum((shape) => sizeOf(shape) * (shape.length > 1 ? 1 + 4 / 128 : 4)),
    };
  } catch {
    return undefined;
  }
}

const sizeOf = (shape: Shape): number => shape.reduce((all, length) => all * length, 1);

async function weightsIn(file: WeightFile): Promise<Weight[]> {
  const read = async (begin: number, end: number): Promise<DataView> =>
    new DataView(await file.slice(begin, Math.min(end, file.size)).arrayBuffer());
  const first = await read(0, 8);
  if (first.getUint32(0) === 0x47475546) return weightsInGguf(await read(0, MOST));
  const end = 8 + Number(first.getBigUint64(0, true));
  if (end > MOST) throw new RangeError('no header');
  const { __metadata__: _, ...tensors } = JSON.parse(new TextDecoder().decode(await read(8, end))) as Record<
    string,
    { shape: Shape; dtype: string }
  >;
  // Those of int8 have their scales beside them.
  return Object.entries(tensors).flatMap(([name, { shape, dtype }]) =>
    name.endsWith('.scales') && name.slice(0, -7) in tensors ? [] : [{ shape, type: NAMES[dtype] ?? dtype }],
  );
}

/** The weights in a GGUF file's header, which come after the metadata. */
function weightsInGguf(view: DataView): Weight[] {
  let at = 8;
  const u32 = (): number => view.getUint32((at += 4) - 4, true);
  const u64 = (): number => Number(view.getBigUint64((at += 8) - 8, true));
  const skip = (bytes: number): void => void (at += bytes);
  const skipValues = (type: number, count: number): void => {
    const size = VALUES[type];
    if (size === undefined && type !== STRING && type !== ARRAY) throw new RangeError('no type');
    if (size !== undefined) skip(count * size);
    else
      for (let left = count; left > 0; --left) {
        if (type === STRING) skip(u64());
        else skipValues(u32(), u64());
      }
  };
  const [tensors, keys] = [u64(), u64()];
  for (let key = 0; key < keys; ++key) {
    skipValues(STRING, 1);
    skipValues(u32(), 1);
  }
  return Array.from({ length: tensors }, () => {
    skipValues(STRING, 1);
    const shape = Array.from({ length: u32() }, u64);
    const type = u32();
    // The offset.
    skip(8);
    return { shape, type: GGUF[type] ?? `type ${type}` };
  });
}
