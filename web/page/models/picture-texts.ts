import type { AsyncModel } from 'wasm-attention/models';
import type { PictureCheckpoint } from './checkpoint.js';
import type { Share } from './shares.js';
import { idsOf } from './text.js';

/** The most texts that are compared with a picture. */
const MOST = 24;

/** Vectors of texts, which do not change with the picture. */
export type KnownTexts = Map<string, Promise<Float32Array>>;

/**
 * How well each text, one per line, fits a picture: its probability among the texts, or by itself where the model was
 * trained so (SigLIP, which has a bias).
 */
export async function fitsOf(
  checkpoint: PictureCheckpoint,
  picture: Float32Array,
  text: string,
  known: KnownTexts,
): Promise<Share[]> {
  const { model, texts } = checkpoint;
  const { logitScale = 0, logitBias } = model;
  const lines = text.split('\n').map((line) => line.trim());
  const names = [...new Set(lines.filter((line) => line !== ''))].slice(0, MOST);
  const scores: number[] = [];
  for (const name of names) {
    if (!known.has(name)) known.set(name, vectorOf(checkpoint, texts!, name));
    scores.push(Math.exp(logitScale) * cosine(picture, await known.get(name)!) + (logitBias ?? 0));
  }
  if (logitBias !== undefined) return names.map((name, i) => ({ name, share: 1 / (1 + Math.exp(-scores[i]!)) }));
  const most = Math.max(...scores);
  const parts = scores.map((score) => Math.exp(score - most));
  const sum = parts.reduce((total, part) => total + part, 0);
  return names.map((name, i) => ({ name, share: parts[i]! / sum }));
}

async function vectorOf({ tokenizer }: PictureCheckpoint, model: AsyncModel, text: string): Promise<Float32Array> {
  const all = await idsOf({ model, tokenizer }, text);
  // A text's vector is that of its end token.
  const ids = all.length > model.maxLength ? [...all.slice(0, model.maxLength - 1), all.at(-1)!] : all;
  const { embeds } = await model.forward([ids]);
  return embeds!.data;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; ++i) {
    product += a[i]! * b[i]!;
    left += a[i]! ** 2;
    right += b[i]! ** 2;
  }
  return product / Math.sqrt(left * right);
}
