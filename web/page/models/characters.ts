/** The most tokens that together are characters, where their bytes are cut apart. */
const MOST = 8;

/** The bytes that byte-level BPE writes as other letters, as GPT-2 does. */
const BYTES = new Map<string, number>();
for (let byte = 0, other = 256; byte < 256; ++byte) {
  const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  BYTES.set(String.fromCodePoint(isItself ? byte : other++), byte);
}

const MARKS: Readonly<Record<string, string>> = { ' ': '␣', '\n': '↵', '\t': '⇥' };
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The characters of tokens that follow one another, with marks for spaces and line breaks. Of a character that is several
 * tokens, each has the whole and its number: `옛 1/3`. Bytes that are part of no character here stay bytes: `<0xEC>`.
 *
 * @param pieces as the vocabulary writes them
 */
export function charactersOf(pieces: readonly string[], isByteLevel: boolean): string[] {
  const bytes = pieces.map((piece) => bytesOf(piece, isByteLevel));
  const names: string[] = [];
  while (names.length < bytes.length) {
    const rest = bytes.slice(names.length, names.length + MOST);
    const texts = rest.map((_, i) => textOf(rest.slice(0, i + 1).flat()));
    const count = texts.findIndex((text) => text !== undefined) + 1;
    if (count < 2) names.push(texts[0] ?? rest[0]!.map(hexadecimal).join(''));
    else names.push(...rest.slice(0, count).map((_, i) => `${texts[count - 1]} ${i + 1}/${count}`));
  }
  return names;
}

function bytesOf(piece: string, isByteLevel: boolean): number[] {
  const [, byte] = /^<0x([\dA-F]{2})>$/.exec(piece) ?? [];
  if (byte !== undefined) return [parseInt(byte, 16)];
  const bytes = Array.from(piece, (letter) => BYTES.get(letter));
  if (isByteLevel && !bytes.includes(undefined)) return bytes as number[];
  return [...encoder.encode(piece.replaceAll('▁', ' '))];
}

function textOf(bytes: readonly number[]): string | undefined {
  try {
    const text = decoder.decode(Uint8Array.from(bytes));
    return text.replace(/[ \p{Cc}]/gu, (letter) => MARKS[letter] ?? hexadecimal(letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function hexadecimal(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}
