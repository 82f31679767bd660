// Shows which parts of a picture each head attends to, and what the model takes it for. The folder public/model has a
// vision transformer as Hugging Face publishes it, such as vit-base-patch16-224.
import 'wasm-attention/elements/patch-viewer';
import { openModel, pixelsOf, readCheckpoint } from 'wasm-attention/models';
import { loadWorker } from 'wasm-attention/worker';

const [input, output, viewer] = ['input', 'output', 'patch-viewer'].map((name) => document.querySelector(name));

const checkpoint = await readCheckpoint('model/');
const model = await openModel({ ...checkpoint, attention: await loadWorker() });

/** The bytes of a file's picture. */
async function bytesOf(file) {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, width, height);
}

input.onchange = async () => {
  const picture = await bytesOf(input.files[0]);
  const pixels = pixelsOf(picture, checkpoint.imageConfig);
  const [, , height, width] = pixels.shape;
  const { weights, logits } = await model.forward(pixels, { needWeights: true });
  viewer.loadArrays({ picture, pixels, weights, patches: await model.patches(height, width) });
  if (logits) output.textContent = model.labels[logits.data.indexOf(Math.max(...logits.data))];
};
input.disabled = false;
output.textContent = `${model.numLayers} layers of ${model.numHeads} heads`;
