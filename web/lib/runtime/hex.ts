/**
 * The bytes of a hexadecimal text, which brotli compresses to little more than the bytes themselves: base64 takes a third more.
 * White space at either end is ignored.
 */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const hex = text.trim();
  const { fromHex: decode } = Uint8Array as { fromHex?: (hex: string) => Uint8Array<ArrayBuffer> };
  if (decode) return decode.call(Uint8Array, hex);
  // By its full name, so that no bundler puts a Buffer of its own in.
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (Buffer) return Buffer.from(hex, 'hex');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
