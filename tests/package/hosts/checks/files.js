import { readFile } from 'node:fs/promises';

/** Reads a file of the model on a server. */
export const fromDisk = async (name) => new Response(await readFile(`stories260K/${name}`));
