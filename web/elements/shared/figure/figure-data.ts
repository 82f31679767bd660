/** A figure's numbers: for the table below it and for CSV. */
export interface FigureData {
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** How many of the first columns are the heads of their rows; default 1. */
  readonly heads?: number;
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The figure's current state as code that computes the same. */
export interface FigureCode {
  readonly javascript: string;
  readonly pytorch: string;
}
