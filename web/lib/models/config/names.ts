/** What tensors are called in Hugging Face's checkpoints, without the family's prefix. */

/** The modules of a layer; each has a `weight`, and a `bias` where the architecture says so. */
export interface LayerNames {
  readonly query: string;
  readonly key: string;
  readonly value: string;
  readonly output: string;
  readonly norm1: string;
  readonly norm2: string;
  readonly gate?: string;
  readonly up: string;
  readonly down: string;
  readonly queryNorm?: string;
  readonly keyNorm?: string;
}

export interface Names {
  /** Files of the model alone have no prefix, and those with a head have one. */
  readonly prefix: string;
  readonly tokens: string;
  readonly positions?: string;
  readonly types?: string;
  readonly embeddingNorm?: string;
  readonly embeddingMap?: string;
  readonly layer: (i: number) => LayerNames;
  readonly finalNorm?: string;
  readonly pooler?: string;
  /** The head that predicts tokens: a map, an activation and a norm before the decoder, or the decoder alone. */
  readonly predictions: {
    readonly map?: string;
    readonly norm?: string;
    readonly decoder: string;
    /** Of a bias with a name of its own. */
    readonly bias?: string;
  };
}
