import type { Picture } from '../../package-types.js';
import { withText } from './png-text.js';

/** A number of pixels that every engine's canvas supports. Safari has the lowest limit, 4096 by 4096. */
const MAX_PIXELS = 4096 * 4096;

/** A picture as PNG, with two pixels per CSS pixel, or fewer if a canvas would be too large, and its `alt` as text. */
export async function pngOf({ svg, alt, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(2, Math.sqrt(MAX_PIXELS / (width * height)));
  const image = new Image();
  // Content security policies allow `data:` images more often than `blob:`.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('export: expected a 2d context, got none');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('export: expected a PNG, got none');
  return withText(blob, 'Description', alt);
}
