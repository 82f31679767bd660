/** Allocates a pass's tensors in a block of wasm memory that begins at `base`, a multiple of 16. */
export class Layout {
  readonly base: number;
  /** Bytes of all tensors. */
  size = 0;

  constructor(base: number) {
    this.base = base;
  }

  /** Allocates numbers of four bytes, aligned for vectors. */
  floats(count: number): number {
    const address = this.base + this.size;
    this.size += Math.ceil(count / 4) * 16;
    return address;
  }
}
