/** What transformers' image processors do with Pillow, step by step and whole: each step makes an array. */

/** Planes of numbers: [channel][row][column]. */
export type Planes = number[][][];

export interface PixelSteps {
  readonly size?: readonly [height: number, width: number];
  /** Pillow's number: 2 or 3. */
  readonly resample?: number;
  readonly crop?: readonly [height: number, width: number];
  readonly factor?: number;
  readonly mean?: readonly number[];
  readonly std?: readonly number[];
}

export function planesOf(data: ArrayLike<number>, width: number, height: number): Planes {
  const channels = data.length / (width * height);
  return [0, 1, 2].map((channel) =>
    Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (__, x) => data[(y * width + x) * channels + channel]!),
    ),
  );
}

/** Pillow's filters: how far they reach, and the curve. */
const FILTERS: Record<number, readonly [reach: number, curve: (x: number) => number]> = {
  2: [1, (x) => (x < 1 ? 1 - x : 0)],
  3: [
    2,
    (x) => {
      const a = -0.5;
      if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
      return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
    },
  ],
};

/** The weights of all pixels of a line of `from` for each of `to`, in units of 2^-22. */
function weightsOf(from: number, to: number, resample: number): number[][] {
  const [reach, curve] = FILTERS[resample]!;
  const ratio = from / to;
  const widened = ratio < 1 ? 1 : ratio;
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * ratio;
    const low = Math.floor(centre - reach * widened + 0.5);
    const high = Math.floor(centre + reach * widened + 0.5);
    const line = Array.from({ length: from }, (__, j) =>
      j >= low && j < high ? curve(Math.abs((j - centre + 0.5) * (1 / widened))) : 0,
    );
    const total = line.reduce((sum, weight) => sum + weight, 0);
    return line.map((weight) => {
      const scaled = (weight / total) * 2 ** 22;
      return Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5);
    });
  });
}

function resizeLine(line: readonly number[], weights: readonly (readonly number[])[]): number[] {
  return weights.map((row) => {
    // Sums of whole numbers below 2^53 are exact.
    const sum = row.reduce((total, weight, i) => total + weight * line[i]!, 0);
    return Math.max(0, Math.min(255, Math.floor(sum / 2 ** 22 + 0.5)));
  });
}

const transposed = (plane: readonly (readonly number[])[]): number[][] =>
  plane[0]!.map((_, x) => plane.map((row) => row[x]!));

/** Lines across first; a side that keeps its length is left alone. */
export function resize(planes: Planes, [height, width]: readonly [number, number], resample: number): Planes {
  return planes.map((plane) => {
    const [rows, columns] = [plane.length, plane[0]!.length];
    const across = weightsOf(columns, width, resample);
    const wide = columns === width ? plane : plane.map((row) => resizeLine(row, across));
    if (rows === height) return wide;
    const down = weightsOf(rows, height, resample);
    return transposed(transposed(wide).map((column) => resizeLine(column, down)));
  });
}

/** numpy's steps: the picture on a canvas of zeros that is at least as large as the crop, then a slice of the canvas. */
export function centreCrop(planes: Planes, [height, width]: readonly [number, number]): Planes {
  return planes.map((plane) => {
    const [rows, columns] = [plane.length, plane[0]!.length];
    const [tall, broad] = [Math.max(rows, height), Math.max(columns, width)];
    const canvas = Array.from({ length: tall }, () => new Array<number>(broad).fill(0));
    const [above, before] = [Math.ceil((tall - rows) / 2), Math.ceil((broad - columns) / 2)];
    plane.forEach((row, y) => row.forEach((value, x) => (canvas[above + y]![before + x] = value)));
    const top = Math.max(0, Math.floor((rows - height) / 2) + above);
    const left = Math.max(0, Math.floor((columns - width) / 2) + before);
    return canvas.slice(top, top + height).map((row) => row.slice(left, left + width));
  });
}

export function pixels(planes: Planes, { size, resample, crop, factor, mean, std }: PixelSteps): Float32Array {
  const resized = size ? resize(planes, size, resample!) : planes;
  const cropped = crop ? centreCrop(resized, crop) : resized;
  const { fround } = Math;
  return Float32Array.from(
    cropped.flatMap((plane, channel) =>
      plane.flat().map((byte) => {
        const scaled = factor === undefined ? byte : fround(byte * factor);
        if (!mean || !std) return scaled;
        return fround(fround(scaled - fround(mean[channel]!)) / fround(std[channel]!));
      }),
    ),
  );
}
