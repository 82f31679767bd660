import { checkInteger, kindOf, wrongKind, wrongValue } from '../../check/values.js';
import { fresh } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import { OPERATION, readProcessor } from './processor.js';
import { FRACTION_BITS, tapsOf, type Taps } from './taps.js';

/** A picture's bytes, as an ImageData has them. */
export interface Picture {
  /** Rows of pixels, each red, green and blue, or red, green, blue and alpha. */
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** What a model for pictures reads. */
export interface Pixels extends Tensor {
  /**
   * The part of the picture that these are, in its own pixels, from its upper left corner. It is larger than a picture
   * that is smaller than its crop: there is black around it.
   */
  readonly region: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/**
 * The numbers that a model for pictures reads: what transformers' image processors do as a preprocessor_config.json
 * says. The picture is resized (bilinear or bicubic, bit for bit as Pillow does), cropped around its centre, rescaled
 * and normalised. Processors are ViT, DeiT, CLIP, Bit (of DINOv2) and Siglip, with their defaults. Alpha is dropped.
 *
 * @param imageConfig the file, parsed; where it names no processor, with the `model_type` of config.json, which
 *   `readCheckpoint` adds
 * @returns (1, 3, H, W), and the part of the picture that it is
 * @throws TypeError for arguments of the wrong kind; RangeError for `data` of another length than 3 or 4 times the count
 *   of pixels, and for a field that is wrong or not supported, by its name
 * @example
 * const { imageConfig } = await readCheckpoint(folder);
 * const pixels = pixelsOf(context.getImageData(0, 0, width, height), imageConfig);
 */
export function pixelsOf(image: Picture, imageConfig: unknown): Pixels {
  const { bytes, width, height } = checked(image);
  const { size = [height, width], kernel, crop, numbers } = readProcessor(imageConfig);
  const shorter = Math.min(height, width);
  const [toHeight, toWidth] =
    typeof size === 'number' ? [height, width].map((side) => Math.trunc((size * side) / shorter)) : size;
  const [rows, columns] = crop ?? [toHeight, toWidth];
  const plane = rows * columns;
  const data = fresh(OPERATION, Float32Array, 3 * plane);
  const down = tapsOf(OPERATION, height, toHeight, rows, kernel);
  const across = tapsOf(OPERATION, width, toWidth, columns, kernel);
  const [top, left] = [Math.max(-down.cut, 0), Math.max(-across.cut, 0)];
  // In its place first the sums of rows, in fixed point: what has no taps stays 0.
  const sums = new Int32Array(data.buffer);
  const row = new Uint8ClampedArray(3 * across.starts.length);
  for (let y = down.starts[0]!, first = 0; first < down.starts.length; ++y) {
    resizeRow(row, bytes, (y * bytes.length) / height, bytes.length / height / width, across);
    for (let to = first; down.starts[to]! <= y; ++to) {
      const weight = down.weights[to * down.width + y - down.starts[to]!]!;
      for (let channel = 0, from = 0; channel < 3; ++channel) {
        let at = channel * plane + (top + to) * columns + left;
        for (const end = from + across.starts.length; from < end; ++from) {
          sums[at++]! += Math.imul(weight, row[from]!);
        }
      }
    }
    while (down.ends[first] === y + 1) ++first;
  }
  for (let channel = 0, at = 0; channel < 3; ++channel) {
    for (const end = at + plane; at < end; ++at) {
      const byte = Math.min(Math.max((sums[at]! + HALF) >> FRACTION_BITS, 0), 255);
      data[at] = numbers[256 * channel + byte]!;
    }
  }
  const [tall, wide] = [height / toHeight, width / toWidth];
  const region = { x: across.cut * wide, y: down.cut * tall, width: columns * wide, height: rows * tall };
  return { data, shape: [1, 3, rows, columns], region };
}

const HALF = 2 ** (FRACTION_BITS - 1);

/** A row of pixels, resized: all reds, then all greens, then all blues. The type of `row` clips. */
function resizeRow(row: Uint8ClampedArray, bytes: Uint8Array, line: number, channels: number, taps: Taps): void {
  const { starts, ends, weights, width } = taps;
  const count = starts.length;
  for (let x = 0; x < count; ++x) {
    let red = HALF;
    let green = HALF;
    let blue = HALF;
    let at = line + starts[x]! * channels;
    const end = line + ends[x]! * channels;
    for (let tap = x * width; at < end; ++tap, at += channels) {
      const weight = weights[tap]!;
      red = (red + Math.imul(weight, bytes[at]!)) | 0;
      green = (green + Math.imul(weight, bytes[at + 1]!)) | 0;
      blue = (blue + Math.imul(weight, bytes[at + 2]!)) | 0;
    }
    row[x] = red >> FRACTION_BITS;
    row[count + x] = green >> FRACTION_BITS;
    row[2 * count + x] = blue >> FRACTION_BITS;
  }
}

function checked(image: Picture): { bytes: Uint8Array; width: number; height: number } {
  if (Object(image) !== image) wrongKind(OPERATION, 'image to be { data, width, height }', image);
  const { data, width, height } = image;
  const kind = kindOf(data);
  if (kind !== 'Uint8Array' && kind !== 'Uint8ClampedArray') {
    wrongKind(OPERATION, 'image.data to be a Uint8Array or Uint8ClampedArray', data);
  }
  const pixels = checkInteger(OPERATION, 'image.width', width, 1) * checkInteger(OPERATION, 'image.height', height, 1);
  if (data.length !== 3 * pixels && data.length !== 4 * pixels) {
    wrongValue(OPERATION, `image.data of length ${3 * pixels} (RGB) or ${4 * pixels} (RGBA)`, data.length);
  }
  // One type for both, so that the loops are compiled once.
  return { bytes: new Uint8Array(data.buffer, data.byteOffset, data.length), width, height };
}
