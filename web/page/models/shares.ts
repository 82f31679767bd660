/** A name with its share of all, or its probability. */
export interface Share {
  readonly name: string;
  readonly share: number;
}
