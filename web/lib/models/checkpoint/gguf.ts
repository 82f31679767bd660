/** A checkpoint that is one GGUF file. */
import { wrongValue } from '../../check/values.js';
import { GGUF_FILE, readHeader } from '../gguf/header.js';
import { tokenizerOf } from '../gguf/tokenizer.js';
import { openSource } from '../weights/source.js';
import { OPERATION, type Folder } from './folder.js';
import type { Checkpoint, WeightFile } from './types.js';

/** The folder's GGUF file, if it has one and no safetensors. */
export async function ggufIn(folder: Folder): Promise<string | undefined> {
  const names = await folder.names();
  if (names.some((name) => /\.safetensors$/i.test(name))) return undefined;
  const found = names.filter((name) => GGUF_FILE.test(name));
  if (found.length > 1) wrongValue(OPERATION, 'one GGUF file', found.sort().join(', '));
  return found[0];
}

/** Throws for a part of a file. */
export function checkWhole(name: string): void {
  const count = /-\d{5}-of-(\d{5})\.gguf$/i.exec(name)?.[1];
  if (count !== undefined && Number(count) > 1) wrongValue(OPERATION, 'a whole GGUF file', `the part ${name}`);
}

export async function ggufCheckpoint(
  file: WeightFile,
  beside: Checkpoint['tokenizer'] | undefined,
  signal: AbortSignal | undefined,
): Promise<Checkpoint> {
  const source = openSource(file);
  try {
    const tokenizer = beside ?? tokenizerOf(await readHeader(OPERATION, source, signal));
    return { weights: [file], ...(tokenizer && { tokenizer }) };
  } finally {
    source.close();
  }
}
