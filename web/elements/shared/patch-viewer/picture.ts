import type { PictureForm, Region } from '../../package-types.js';
import { toShaped } from '../arrays/shaped.js';

/** Bytes of a picture, 3 or 4 a pixel. */
export interface Pixels {
  readonly data: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
}

/** What can be drawn, and its size. */
type Source = { readonly width: number; readonly height: number } & (
  { readonly image: CanvasImageSource } | { readonly pixels: Pixels }
);

/** No part of a picture is kept with longer sides, in pixels: a screen does not show more. */
const LONGEST = 2048;

/**
 * A copy of a part of a picture, without transparency. It is black where there is no picture.
 *
 * @param region default: the whole picture
 * @throws TypeError, RangeError for what is no picture, or for a region without pixels
 */
export function cropOf(picture: PictureForm, region?: Region): HTMLCanvasElement {
  const source = sourceOf(picture);
  const whole = { x: 0, y: 0, width: source.width, height: source.height };
  const part = region ?? whole;
  const seen = overlap(part, whole);
  if (!(seen.width > 0 && seen.height > 0 && part.width < Infinity && part.height < Infinity)) {
    const { x, y, width, height } = part;
    throw new RangeError(
      `loadArrays: expected region to have pixels of ${whole.width} × ${whole.height}, got { x: ${x}, y: ${y}, width: ${width}, height: ${height} }`,
    );
  }
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, LONGEST / Math.max(part.width, part.height));
  canvas.width = Math.max(1, Math.round(part.width * scale));
  canvas.height = Math.max(1, Math.round(part.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  // What is transparent is black, as it is for models, which do not see alpha.
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  const draw = (image: CanvasImageSource, { x, y, width, height }: Region): void => {
    const [across, down] = [canvas.width / part.width, canvas.height / part.height];
    const [left, top] = [(seen.x - part.x) * across, (seen.y - part.y) * down];
    context.drawImage(image, x, y, width, height, left, top, seen.width * across, seen.height * down);
  };
  if ('image' in source) draw(source.image, seen);
  else {
    const { data, width, height, step } = opaque(source.pixels, seen, LONGEST);
    const pixels = document.createElement('canvas');
    Object.assign(pixels, { width, height });
    pixels.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0);
    const [x, y] = [(seen.x % 1) / step, (seen.y % 1) / step];
    draw(pixels, { x, y, width: seen.width / step, height: seen.height / step });
  }
  return canvas;
}

/** The part that two regions share; its sizes are not above 0 if there is none. */
function overlap(one: Region, other: Region): Region {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  return {
    x,
    y,
    width: Math.min(one.x + one.width, other.x + other.width) - x,
    height: Math.min(one.y + one.height, other.y + other.height) - y,
  };
}

/**
 * The opaque RGBA bytes of the pixels that a region touches: all of them, or every `step`-th if its sides are a multiple of
 * `longest`.
 */
export function opaque(
  { data, width, height }: Pixels,
  { x, y, width: across, height: down }: Region,
  longest: number,
): Pixels & { readonly data: Uint8ClampedArray<ArrayBuffer>; readonly step: number } {
  const channels = data.length / (width * height);
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const step = Math.max(1, Math.floor(Math.max(across, down) / longest));
  const columns = Math.ceil((Math.ceil(x + across) - left) / step);
  const rows = Math.ceil((Math.ceil(y + down) - top) / step);
  const pixels = new Uint8ClampedArray(columns * rows * 4);
  for (let row = 0, to = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column, to += 4) {
      const from = ((top + row * step) * width + left + column * step) * channels;
      for (let channel = 0; channel < 3; ++channel) pixels[to + channel] = data[from + channel]!;
      pixels[to + 3] = 255;
    }
  }
  return { data: pixels, width: columns, height: rows, step };
}

/** Checks a picture. Does not use `instanceof`: it may come from another frame. */
export function sourceOf(picture: unknown): Source {
  const kind = kindOf(picture);
  if (/^(HTML(Image|Canvas)Element|OffscreenCanvas|ImageBitmap)$/.test(kind)) {
    const image = picture as HTMLImageElement;
    const [width, height] = [image.naturalWidth ?? image.width, image.naturalHeight ?? image.height];
    if (!(width > 0 && height > 0))
      throw new RangeError(
        `loadArrays: expected picture to have pixels, got ${width} × ${height}; await decode() of an image`,
      );
    return { image, width, height };
  }
  const { data, width, height } = (picture ?? {}) as Partial<Pixels>;
  if (
    width === undefined &&
    height === undefined &&
    typeof picture === 'object' &&
    /^Object$|Array|^DataView$/.test(kind)
  )
    return shapedSource(picture);
  if (!/^Uint8(Clamped)?Array$/.test(kindOf(data)))
    throw new TypeError(
      'loadArrays: expected picture as an image, a canvas, an ImageBitmap, { data, width, height } with RGBA or RGB bytes, or (height, width, 3 or 4) numbers',
    );
  for (const [name, size] of Object.entries({ width, height })) {
    if (!Number.isInteger(size) || size! < 1)
      throw new RangeError(`loadArrays: expected picture.${name} to be a whole number above 0, got ${String(size)}`);
  }
  const area = width! * height!;
  if (data!.length !== 3 * area && data!.length !== 4 * area)
    throw new RangeError(
      `loadArrays: expected picture.data to have ${4 * area} or ${3 * area} bytes for ${width} × ${height} pixels, got ${data!.length}`,
    );
  return { pixels: { data: data!, width: width!, height: height! }, width: width!, height: height! };
}

/** A picture as an array. */
function shapedSource(picture: unknown): Source {
  const { data, shape } = toShaped('picture', picture);
  const [height = 0, width = 0, channels = 0] = shape;
  const size = height * width * channels;
  if (shape.length !== 3 || size === 0 || (channels !== 3 && channels !== 4))
    throw new RangeError(`loadArrays: expected picture of shape (height, width, 3 or 4), got (${shape.join(', ')})`);
  if (data.length !== size)
    throw new RangeError(`loadArrays: expected ${size} numbers for picture (${shape.join(', ')}), got ${data.length}`);
  const areBytes = kindOf(data).startsWith('Uint8');
  for (let i = 0; i < size && !areBytes; ++i) {
    const value = data[i]!;
    if (!Number.isInteger(value) || value < 0 || value > 255)
      throw new RangeError(
        `loadArrays: expected picture to have whole numbers from 0 to 255, got ${String(value)} at ${i}`,
      );
  }
  return { pixels: { data, width, height }, width, height };
}

/** `Array` for lists, `Uint8Array` for such arrays, and so on. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
