/** For a worker of the page that ../in-browser.mjs opens; files come from its server. */
const modules = new URL('../node_modules/', import.meta.url);

export const [engine] = /\w*Chrom\w*\/[\d.]+/.exec(navigator.userAgent);

export async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
  return response.arrayBuffer();
}

/** A worker cannot read the processor time of its process. */
export const usage = () => undefined;

export const progress = (text) => postMessage({ progress: text });

export function serve(handle) {
  addEventListener('message', async ({ data }) => postMessage({ result: await handle(data) }), {
    once: true,
  });
  // Messages that arrive while the module is still loading are lost, so the page waits for this one.
  postMessage({ ready: true });
}

export const libraries = {
  async ort() {
    const ort = await import(new URL('onnxruntime-web/dist/ort.wasm.min.mjs', modules));
    ort.env.wasm.wasmPaths = new URL('onnxruntime-web/dist/', modules).href;
    return ort;
  },

  async tfjs(build, threads) {
    const { tf, backend } = await import(new URL('tfjs.js', build));
    backend.setWasmPaths(new URL('@tensorflow/tfjs-backend-wasm/dist/', modules).href);
    backend.setThreadsCount(threads);
    // It starts at most one thread for every two cores, whatever count is set.
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 * threads, configurable: true });
    if (threads === 1) tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
    return { tf, version: backend.version_wasm };
  },

  async wllama() {
    // It resolves addresses against the document's, which a worker lacks.
    globalThis.document ??= { baseURI: location.href };
    const { Wllama } = await import(new URL('@wllama/wllama/esm/index.js', modules));
    const wasms = ['single-thread/wllama.wasm', 'multi-thread/wllama.wasm'];
    const paths = wasms.map((path) => [path, new URL(`@wllama/wllama/esm/${path}`, modules).href]);
    return new Wllama(Object.fromEntries(paths), { suppressNativeLog: true });
  },
};
