import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model, type OpenModelOptions } from 'wasm-attention/models';
// Facts about each family that the tests need.
import type { Architecture } from '../../web/lib/models/config/architecture.js';
import { readConfig } from '../../web/lib/models/config/readConfig.js';
import { FAMILIES } from '../../web/lib/models/families/index.js';
import { attention } from '../support/library.js';

export { readConfig };

const ROOT = join(import.meta.dirname, '../fixtures');

export interface Checkpoint {
  readonly config: Record<string, unknown>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly expected: {
    readonly ids: number[][];
    readonly attentionMask: number[][];
    readonly tokenTypes: number[][] | null;
    readonly generate: { readonly prompt: number[]; readonly tokens: number[] } | null;
  };
  readonly tensors: Record<string, Tensor>;
  /** The library's reading of the config. */
  readonly architecture: Architecture;
}

const json = (path: string): never => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as never;

export const families = Object.keys(FAMILIES).sort();

const folders = readdirSync(join(ROOT, 'models')).sort();
const isOfPictures = (name: string): boolean =>
  (json(`models/${name}/expected.json`) as { image?: null }).image === null;

/** The checkpoints of tokens, and those of pictures, in tests/fixtures/models. */
export const checkpoints = folders.filter((name) => !isOfPictures(name));
export const pictureCheckpoints = folders.filter(isOfPictures);

export function checkpoint(name: string): Checkpoint {
  const config: Record<string, unknown> = json(`models/${name}/config.json`);
  return {
    config,
    architecture: readConfig(config),
    bytes: new Uint8Array(readFileSync(join(ROOT, `models/${name}/model.safetensors`))),
    expected: json(`models/${name}/expected.json`),
    tensors: readSafetensors(readFileSync(join(ROOT, `models/${name}/expected.safetensors`))),
  };
}

/** The name of a config's embedding in files of a model with a head. */
export function embeddingName(config: unknown): string {
  const { prefix, tokens } = readConfig(config).names;
  return `${prefix}${tokens}.weight`;
}

/** The language model in tests/fixtures/stories260K. */
export const stories = {
  config: json('stories260K/config.json') as Record<string, unknown>,
  bytes: new Uint8Array(readFileSync(join(ROOT, 'stories260K/model.safetensors'))),
  expected: json('stories260K/expected.json') as Record<string, never>,
};

export async function open(
  { config, bytes }: { config: unknown; bytes: Uint8Array<ArrayBuffer> },
  options: Partial<OpenModelOptions> = {},
): Promise<Model> {
  return openModel({ config, weights: bytes, attention, ...options });
}
