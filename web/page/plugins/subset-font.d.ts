declare module 'subset-font' {
  /** A font with only the glyphs of `text`. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      readonly targetFormat: 'truetype' | 'woff2';
      readonly noHinting?: boolean;
      readonly keepFeatures?: readonly string[];
      readonly preserveNameIds?: readonly number[];
    },
  ): Promise<Buffer>;
}
