/**
 * Shortens the lists of size variants in a maths font (TrueType, changed in place) to those that the formulas use.
 * Chromium gives every root or bracket the width of the widest variant, which leaves a gap beside smaller ones.
 *
 * @param used how many variants each character keeps
 */
export function limitSizes(font: Buffer, used: Readonly<Record<string, number>>): void {
  const u16 = (at: number): number => font.readUInt16BE(at);
  const math = tableAt(font, 'MATH');
  const variants = math + u16(math + 8);
  const glyphs = covered(font, variants + u16(variants + 2));
  for (const [sign, count] of Object.entries(used)) {
    const index = glyphs.indexOf(glyphOf(font, sign));
    if (index < 0) throw new RangeError(`glyphSizes: expected a sign that grows, got ${sign}`);
    const construction = variants + u16(variants + 10 + 2 * index);
    // No assembly from pieces, which is as wide as the largest variant.
    font.writeUInt16BE(0, construction);
    font.writeUInt16BE(Math.min(count, u16(construction + 2)), construction + 2);
  }
}

function tableAt(font: Buffer, tag: string): number {
  const count = font.readUInt16BE(4);
  for (let at = 12; at < 12 + 16 * count; at += 16) {
    if (font.toString('latin1', at, at + 4) === tag) return font.readUInt32BE(at + 8);
  }
  throw new Error(`glyphSizes: expected a font with a table ${tag}`);
}

/** The glyphs of a coverage table: a list, or ranges of first, last and a third number. */
function covered(font: Buffer, at: number): number[] {
  const u16 = (offset: number): number => font.readUInt16BE(at + offset);
  const records = Array.from({ length: u16(2) }, (_, i) => i);
  if (u16(0) === 1) return records.map((i) => u16(4 + 2 * i));
  return records.flatMap((i) => {
    const [first, last] = [u16(4 + 6 * i), u16(6 + 6 * i)];
    return Array.from({ length: last - first + 1 }, (_, glyph) => first + glyph);
  });
}

/** The glyph of a character in the cmap subtable of format 12, which covers all of Unicode. */
function glyphOf(font: Buffer, character: string): number {
  const code = character.codePointAt(0)!;
  const u32 = (at: number): number => font.readUInt32BE(at);
  const cmap = tableAt(font, 'cmap');
  for (let entry = 0; entry < font.readUInt16BE(cmap + 2); entry++) {
    const table = cmap + u32(cmap + 8 + 8 * entry);
    if (font.readUInt16BE(table) !== 12) continue;
    for (let group = 0; group < u32(table + 12); group++) {
      const at = table + 16 + 12 * group;
      if (u32(at) <= code && code <= u32(at + 4)) return u32(at + 8) + code - u32(at);
    }
  }
  return -1;
}
