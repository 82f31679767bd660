import { failed } from '../../check/values.js';
import type { WeightFile } from './types.js';

export const OPERATION = 'readCheckpoint';

/** A folder of a checkpoint. Paths are those below it, such as `1_Pooling/config.json`. */
export interface Folder {
  /** The names of the files directly in it; none where they cannot be listed. */
  names(): Promise<readonly string[]>;
  /** A file's text; undefined if there is no such file. */
  text(path: string): Promise<string | undefined>;
  /** A file to be read later; undefined if there is no such file. */
  file(path: string): Promise<WeightFile | undefined>;
}

/** Throws for a file that is there but cannot be read. */
export function unreadable(path: string, cause: unknown): never {
  return failed(OPERATION, `${path} that can be read`, String((cause as Error | null)?.message), cause);
}
