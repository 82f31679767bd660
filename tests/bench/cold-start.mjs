/**
 * One cold start: imports a library and computes one small attention with it, arrays in and out, in a process that does
 * nothing else.
 *   usage: cold-start.mjs nothing|index|slim|ort [MODEL]      prints milliseconds as JSON
 */
import { readFileSync } from 'node:fs';

const [, , what, model] = process.argv;
const [n, d] = [4, 8];
const x = Float32Array.from({ length: n * d }, (_, i) => Math.sin(i));

const STARTS = {
  nothing: () => undefined,
  async ours(entry) {
    const { load } = await import(`../../dist/${entry}.js`);
    const imported = performance.now();
    const attention = await load();
    const tensor = { data: x, shape: [1, 1, n, d] };
    return { imported, output: attention.scaledDotProductAttention(tensor, tensor, tensor).output.data };
  },
  async ort() {
    const bytes = readFileSync(model);
    const ort = await import('onnxruntime-web/wasm');
    const imported = performance.now();
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'error';
    const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
    const tensor = () => new ort.Tensor('float32', x, [1, 1, n, d]);
    const { output } = await session.run({ query: tensor(), key: tensor(), value: tensor() });
    return { imported, output: output.data };
  },
};

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const [started, busy] = [performance.now(), cpu()];
const { imported, output } = (await (STARTS[what] ?? STARTS.ours)(what)) ?? { imported: started, output: [] };
const done = performance.now();
console.log(
  JSON.stringify({
    // Milliseconds since the process started. With `nothing` this is how long Node itself takes.
    start: started,
    import: imported - started,
    result: done - started,
    cpu: cpu() - busy,
    output: Array.from(output),
  }),
);
process.exit(0);
