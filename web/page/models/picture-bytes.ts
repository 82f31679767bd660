import { straightBytes } from './straight-alpha.js';

/** A picture's RGBA bytes. */
export interface ImageBytes {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The most pixels of a canvas: phones refuse larger ones. */
const MOST = 2 ** 22;

/**
 * The RGBA bytes of a picture's file, upright and in sRGB. A model does not see how transparent they are, but it sees their
 * colours, which a canvas rounds where they are transparent: there they are read in another way where the browser can.
 *
 * @throws if the browser cannot read it as a picture
 */
export async function bytesOf(file: Blob): Promise<ImageBytes> {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const data = new Uint8ClampedArray(4 * width * height);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = Math.min(height, Math.max(1, Math.floor(MOST / width)));
  const context = canvas.getContext('2d', { colorSpace: 'srgb', willReadFrequently: true })!;
  for (let top = 0; top < height; top += canvas.height) {
    context.clearRect(0, 0, width, canvas.height);
    context.drawImage(bitmap, 0, -top);
    const rows = Math.min(canvas.height, height - top);
    data.set(context.getImageData(0, 0, width, rows).data, 4 * width * top);
  }
  bitmap.close();
  const straight = isOpaque(data) ? undefined : await straightBytes(file, width, height);
  return { data: straight ?? data, width, height };
}

function isOpaque(data: Uint8ClampedArray): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
  return true;
}
