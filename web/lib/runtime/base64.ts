/** The bytes of base64. Engines that can do it themselves take a tenth of the time, as does Node; the loop takes 3 ms. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64: decode } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (decode) return decode.call(Uint8Array, base64);
  // By its full name, so that no bundler puts a Buffer of its own in.
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (Buffer) return Buffer.from(base64, 'base64');
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
