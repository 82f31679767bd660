/**
 * The bytes of a hexadecimal text. Brotli compresses it to little more than the compressed bytes; base64 would take a
 * third more. Ignores white space at either end.
 */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const hex = text.trim();
  const { fromHex: decode } = Uint8Array as { fromHex?: (hex: string) => Uint8Array<ArrayBuffer> };
  if (decode) return decode.call(Uint8Array, hex);
  // With globalThis, because bundlers would add a polyfill for a bare `Buffer`.
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (Buffer) return Buffer.from(hex, 'hex');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
