/** From a picture's file to the maps of all heads on the screen: a ViT-S/16 of random numbers in headless Chromium. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { launch } from '../../scripts/built-page.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ROUNDS = 9;
const BAR = 1000;
const STEPS = ['read', 'pixelsOf', 'forward', 'draw'];
const TYPES = { js: 'text/javascript', wasm: 'application/wasm' };
/** Threads need shared memory. */
const HEADERS = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const PAGE = '<!doctype html><meta charset="utf-8"><body style="width: 75rem"><patch-viewer></patch-viewer>';

function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://page').pathname;
    const file = path.startsWith('/dist/') ? readFileSync(root + path.slice(1)) : PAGE;
    response.writeHead(200, { 'content-type': TYPES[path.replace(/.*\./, '')] ?? 'text/html', ...HEADERS }).end(file);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Runs in the page: the milliseconds of each step, for each round. */
async function showPictures({ threads, rounds }) {
  const [{ load }, { openModel, pixelsOf }] = await Promise.all(
    ['/dist/slim.js', '/dist/models.js', '/dist/elements/patch-viewer.js'].map((file) => import(file)),
  );
  const [width, layers, patch, size] = [384, 12, 16, 224];
  let state = 1;
  const tensor = (...shape) => {
    const data = new Float32Array(shape.reduce((product, axis) => product * axis));
    for (let i = 0; i < data.length; ++i) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      data[i] = (state / 2 ** 32 - 0.5) / 8;
    }
    return { data, shape };
  };
  const weights = {
    'embeddings.cls_token': tensor(1, 1, width),
    'embeddings.position_embeddings': tensor(1, 1 + (size / patch) ** 2, width),
    'embeddings.patch_embeddings.projection.weight': tensor(width, 3, patch, patch),
    'embeddings.patch_embeddings.projection.bias': tensor(width),
    'layernorm.weight': tensor(width),
    'layernorm.bias': tensor(width),
  };
  for (let layer = 0; layer < layers; ++layer) {
    const sizes = {
      'attention.attention.query': [width, width],
      'attention.attention.key': [width, width],
      'attention.attention.value': [width, width],
      'attention.output.dense': [width, width],
      'intermediate.dense': [4 * width, width],
      'output.dense': [width, 4 * width],
      layernorm_before: [width],
      layernorm_after: [width],
    };
    for (const [name, shape] of Object.entries(sizes)) {
      weights[`encoder.layer.${layer}.${name}.weight`] = tensor(...shape);
      weights[`encoder.layer.${layer}.${name}.bias`] = tensor(shape[0]);
    }
  }
  const config = {
    model_type: 'vit',
    architectures: ['ViTModel'],
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: 6,
    intermediate_size: 4 * width,
    image_size: size,
    patch_size: patch,
  };
  const model = await openModel({ config, weights, attention: await load({ threads }) });

  // A photo's size, as a file.
  const canvas = new OffscreenCanvas(1600, 1200);
  const context = canvas.getContext('2d');
  const gradient = context.createConicGradient(1, 700, 500);
  ['red', 'gold', 'teal', 'navy', 'red'].forEach((colour, i) => gradient.addColorStop(i / 4, colour));
  context.fillStyle = gradient;
  context.fillRect(0, 0, 1600, 1200);
  const file = await canvas.convertToBlob({ type: 'image/jpeg' });

  const viewer = document.querySelector('patch-viewer');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const painted = new Set();
  const prototype = CanvasRenderingContext2D.prototype;
  for (const name of ['fillRect', 'drawImage', 'putImageData']) {
    const own = prototype[name];
    prototype[name] = function paint(...given) {
      painted.add(this.canvas);
      return own.apply(this, given);
    };
  }
  const rows = [];
  for (let round = -2; round < rounds; ++round) {
    const times = [performance.now()];
    const next = () => times.push(performance.now());
    const bitmap = await createImageBitmap(file);
    const reader = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    reader.drawImage(bitmap, 0, 0);
    const picture = reader.getImageData(0, 0, bitmap.width, bitmap.height);
    next();
    const pixels = pixelsOf(picture, { model_type: 'vit' });
    next();
    const { weights: maps } = model.forward(pixels, { needWeights: true });
    next();
    painted.clear();
    viewer.loadArrays({ picture, pixels, weights: maps, patches: model.patches(size, size) });
    await viewer.updateComplete;
    const canvases = [...viewer.shadowRoot.querySelectorAll('canvas')];
    // The picture, the large map and those of six heads.
    if (canvases.length !== 8) throw new Error(`expected 8 canvases, got ${canvases.length}`);
    while (!canvases.every((canvas) => painted.has(canvas))) await frame();
    // What is painted in a frame is on the screen before the next one.
    await frame();
    next();
    if (round >= 0) rows.push(times.slice(1).map((time, i) => time - times[i]));
  }
  return rows;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** The median milliseconds of each step, and of all together, on one thread and on two. */
export async function measureFirstPicture({ progress }) {
  const server = await serve();
  try {
    const results = [];
    for (const threads of [1, 2]) {
      progress(`pictures on ${threads} thread${threads > 1 ? 's' : ''}`);
      const browser = await launch();
      const page = await browser.newPage({ viewport: { width: 1280, height: 1200 } });
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const rounds = await page.evaluate(showPictures, { threads, rounds: ROUNDS });
      await browser.close();
      results.push({
        threads,
        steps: STEPS.map((_, i) => median(rounds.map((times) => times[i]))),
        all: median(rounds.map((times) => times.reduce((sum, time) => sum + time, 0))),
      });
    }
    return { steps: STEPS, results, bar: BAR };
  } finally {
    server.close();
  }
}
