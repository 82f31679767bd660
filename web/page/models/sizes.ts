import type { Checkpoint } from 'wasm-attention/models';

/** How a model's matrices are kept in memory. */
export const TYPES = ['float32', 'int8'] as const;
export type WeightType = (typeof TYPES)[number];

/** The numbers of a checkpoint's weights, the bytes of its files, and those that the weights take in memory. */
export interface Sizes extends Record<WeightType, number> {
  readonly count: number;
  readonly files: number;
}

type WeightFile = Checkpoint['weights'][number];
type Shape = readonly number[];

/** The bytes of a value in a GGUF file, by its type's number; two types have none. */
const [STRING, ARRAY] = [8, 9];
const VALUES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];
/** The most bytes of a header, of which a GGUF file's has the vocabulary. */
const MOST = 2 ** 26;

/** Reads the headers of the files; undefined for what is no file of weights, which the library refuses in words. */
export async function sizesOf(files: readonly WeightFile[]): Promise<Sizes | undefined> {
  try {
    const shapes = (await Promise.all(files.map(shapesIn))).flat();
    const sum = (size: (shape: Shape) => number): number => shapes.reduce((all, shape) => all + size(shape), 0);
    const count = sum(sizeOf);
    return {
      count,
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

async function shapesIn(file: WeightFile): Promise<Shape[]> {
  const read = async (begin: number, end: number): Promise<DataView> =>
    new DataView(await file.slice(begin, Math.min(end, file.size)).arrayBuffer());
  const first = await read(0, 8);
  if (first.getUint32(0) === 0x47475546) return shapesInGguf(await read(0, MOST));
  const end = 8 + Number(first.getBigUint64(0, true));
  if (end > MOST) throw new RangeError('no header');
  const { __metadata__: _, ...tensors } = JSON.parse(new TextDecoder().decode(await read(8, end))) as Record<
    string,
    { shape: Shape }
  >;
  // Those of int8 have their scales beside them.
  return Object.entries(tensors).flatMap(([name, { shape }]) =>
    name.endsWith('.scales') && name.slice(0, -7) in tensors ? [] : [shape],
  );
}

/** The shapes in a GGUF file's header, which come after the metadata. */
function shapesInGguf(view: DataView): Shape[] {
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
    // The type and the offset.
    skip(12);
    return shape;
  });
}
