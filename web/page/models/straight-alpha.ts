/**
 * The RGBA bytes of a picture as its file has them. A 2D canvas keeps colours multiplied by their alpha: dark and
 * transparent ones come back rounded, or black. A texture of WebGL does not.
 *
 * @returns undefined without WebGL, and for pictures that are larger than its textures
 */
export async function straightBytes(
  file: Blob,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | undefined> {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null || Math.max(width, height) > gl.getParameter(gl.MAX_TEXTURE_SIZE)) return undefined;
  // Not an ImageBitmap, which WebKit multiplies. The page's policy allows images from data: alone.
  const image = new Image();
  image.src = await addressOf(file);
  await image.decode();
  if (image.naturalWidth !== width || image.naturalHeight !== height) return undefined;
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, image);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  const data = new Uint8ClampedArray(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  const isRead = gl.getError() === gl.NO_ERROR;
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return isRead ? data : undefined;
}

function addressOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(file);
  });
}
