/** The length of a PNG's signature and first chunk, behind which a text may stand. */
const HEAD = 33;

/** A PNG with a text, as a chunk `iTXt` (PNG, third edition, 11.3.3.4). `keyword` is in Latin-1. */
export function withText(png: Blob, keyword: string, text: string): Blob {
  // Behind the keyword: not compressed, and neither a language nor a translated keyword.
  const body = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return new Blob([png.slice(0, HEAD), chunk, png.slice(HEAD)], { type: 'image/png' });
}

/** The checksum of a chunk's type and data. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
