import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, type Tensor, type TensorLike } from 'wasm-attention';
import { openModel, type Model, type OpenModelOptions, type Part, type VisionModel } from 'wasm-attention/models';
import { attention } from '../../support/library.js';
import { pictureCheckpoints } from '../fixtures.js';

type Config = Record<string, unknown>;

/** What `openPictures` opens. */
export interface PictureFiles {
  readonly config: Config;
  readonly weights: Uint8Array<ArrayBuffer> | Record<string, TensorLike>;
  readonly part?: Part;
}

export interface PictureCheckpoint {
  readonly files: PictureFiles;
  readonly expected: {
    readonly ids: number[][] | null;
    readonly attentionMask: number[][] | null;
    readonly best: number[] | null;
    readonly labels: string[] | null;
  };
  readonly tensors: Record<string, Tensor>;
}

/** A checkpoint of pictures in tests/fixtures/models. */
export function pictureCheckpoint(name: string): PictureCheckpoint {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../../fixtures/models', name, file));
  const config = JSON.parse(read('config.json').toString()) as Config;
  return {
    files: {
      config,
      weights: new Uint8Array(read('model.safetensors')),
      ...(config.vision_config !== undefined && { part: 'vision' }),
    },
    expected: JSON.parse(read('expected.json').toString()) as PictureCheckpoint['expected'],
    tensors: readSafetensors(read('expected.safetensors')),
  };
}

/** The tensors of a checkpoint. */
export function tensorsOf({ weights }: PictureFiles): Record<string, TensorLike> {
  return weights instanceof Uint8Array ? readSafetensors(weights) : weights;
}

export async function openPictures(files: PictureFiles, options: Partial<OpenModelOptions> = {}): Promise<VisionModel> {
  return openModel<VisionModel>({ ...files, attention, ...options });
}

/** CLIP's tower of texts. */
export async function openTexts(files: PictureFiles, options: Partial<OpenModelOptions> = {}): Promise<Model> {
  return openModel({ ...files, attention, part: 'text', ...options });
}

const { files: clip } = pictureCheckpoint('clip');
const { files: siglip } = pictureCheckpoint('siglip');
const { vision_config, text_config } = clip.config as Record<string, Config>;
const scalar = (number: number, shape: number[]) => ({ data: Float32Array.of(number), shape });

/** Checkpoints with the tensors of those in tests/fixtures/models, whose classes are others. */
export const derived = {
  clipVision: { config: { ...vision_config, architectures: ['CLIPVisionModelWithProjection'] }, weights: clip.weights },
  clipText: { config: { ...text_config, architectures: ['CLIPTextModelWithProjection'] }, weights: clip.weights },
  siglip: {
    config: { model_type: 'siglip', architectures: ['SiglipModel'], vision_config: siglip.config, text_config: {} },
    weights: { ...tensorsOf(siglip), logit_scale: scalar(2.5, [1]), logit_bias: scalar(-9, [1]) },
    part: 'vision',
  },
} as const satisfies Record<string, PictureFiles>;

/** All of them. */
export const pictureFiles: readonly PictureFiles[] = [
  ...pictureCheckpoints.map((name) => pictureCheckpoint(name).files),
  ...Object.values(derived),
];

export const pictureFamilies = [...new Set(pictureFiles.map(({ config }) => config.model_type as string))].sort();

/** The fixtures' own tolerance, |x − y| ≤ 2e-5 + 2e-5·|y|: how many times it is the worst difference. */
export function worstOf(actual: Tensor | undefined, expected: Tensor, counts = (_: number): boolean => true): number {
  if (actual?.shape.join() !== expected.shape.join()) {
    throw new Error(`shape ${actual?.shape.join()} in place of ${expected.shape.join()}`);
  }
  const differences = Array.from(expected.data, (y, i) =>
    counts(i) ? Math.abs(actual.data[i]! - y) / (2e-5 + 2e-5 * Math.abs(y)) : 0,
  );
  // NaN stays.
  return differences.reduce((most, each) => (each <= most ? most : each), 0);
}
