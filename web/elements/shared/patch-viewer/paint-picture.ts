/** A picture's pixels that are enlarged more than so are shown as squares, as those of tiny pictures. */
const SMOOTH = 8;
/** How much darker a picture is under a whole map, so that bright parts do not shine through. */
const DIMMED = 0.2;

/** Fills a canvas with a picture, which loses colours and light to the map over it: the more, the nearer `strength` is to 1. */
export function paintPicture(
  canvas: HTMLCanvasElement,
  picture: HTMLCanvasElement | undefined,
  strength: number,
): void {
  const context = canvas.getContext('2d');
  if (context === null || picture === undefined || canvas.width === 0 || canvas.height === 0) return;
  const { width, height } = canvas;
  context.globalCompositeOperation = 'source-over';
  context.globalAlpha = 1;
  context.imageSmoothingEnabled = width < SMOOTH * picture.width;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, width, height);
  context.globalCompositeOperation = 'saturation';
  context.globalAlpha = strength;
  context.fillStyle = 'gray';
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
  context.globalAlpha = DIMMED * strength;
  context.fillStyle = 'black';
  context.fillRect(0, 0, width, height);
}
