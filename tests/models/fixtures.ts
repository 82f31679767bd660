import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model, type OpenModelOptions } from 'wasm-attention/models';
// Facts about each family that the tests need.
import type { Architecture } from '../../web/lib/models/config/architecture.js';
import { readConfig } from '../../web/lib/models/config/readConfig.js';
import { FAMILIES } from '../../web/lib/models/families/index.js';
import { partOf, type Source } from '../../web/lib/models/weights/parts.js';
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

/** Reads a checkpoint's tensors by the names in its architecture, which have no prefix. */
export class FileWeights {
  readonly architecture: Architecture;
  readonly #tensors: Record<string, Tensor>;

  constructor({ architecture, bytes }: Pick<Checkpoint, 'architecture' | 'bytes'>) {
    this.#tensors = readSafetensors(bytes);
    this.architecture = { ...architecture, ...architecture.inFile?.((name) => this.#find(name)?.shape) };
  }

  #find(name: string): Tensor | undefined {
    const { prefix, otherPrefix } = this.architecture?.names ?? {};
    return this.#tensors[name] ?? this.#tensors[`${prefix}${name}`] ?? this.#tensors[`${otherPrefix}${name}`];
  }

  vector(name: string): Float32Array | undefined {
    return this.#find(name)?.data;
  }

  /** The weight (outputs, inputs) or the bias of a linear map, or of several with their outputs one after another. */
  rows(
    sources: Source | readonly Source[],
    tensor: 'weight' | 'bias',
    outputs: number,
    inputs: number,
  ): { readonly data: Float32Array; readonly shape: readonly number[] } {
    const list = [sources].flat();
    const data = list.flatMap((source) => {
      const { name, count, rows } = partOf(source, tensor, outputs / list.length, inputs);
      return Array.from(rows((begin, end) => this.vector(name)!.subarray(begin, end))(0, count));
    });
    return { data: Float32Array.from(data), shape: tensor === 'weight' ? [outputs, inputs] : [outputs] };
  }
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
