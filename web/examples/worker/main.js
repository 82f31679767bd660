import { loadWorker } from './node_modules/wasm-attention/dist/worker.js';

const attention = await loadWorker();
const [start, stop, output] = ['#start', '#stop', 'output'].map((name) => document.querySelector(name));
const tokens = () => ({
  data: Float32Array.from({ length: 16 * 8192 * 64 }, Math.random),
  shape: [1, 16, 8192, 64],
});

start.onclick = async () => {
  const controller = new AbortController();
  stop.onclick = () => controller.abort();
  [start.disabled, stop.disabled, output.textContent] = [true, false, 'computing'];
  const x = tokens();
  const started = performance.now();
  try {
    // The page does not need the tokens any more, so their memory is transferred instead of copied.
    const call = attention.with({ signal: controller.signal, transfer: true });
    const result = await call.scaledDotProductAttention(x, x, x, { isCausal: true });
    output.textContent = `${result.output.shape.join(' × ')} in ${((performance.now() - started) / 1000).toFixed(1)} s`;
  } catch (error) {
    output.textContent = error.name === 'AbortError' ? 'stopped' : error.message;
  }
  [start.disabled, stop.disabled] = [false, true];
};
output.textContent = 'ready';
