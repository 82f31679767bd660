import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { servePage } from '../../browser/server.js';
import { ROOT, output } from '../support.js';
import { POLICY, TOOLS, expectResult, page, program, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();
const FILES = ['index', 'slim', 'worker'] as const;
const address = (file: string): string => `/node_modules/wasm-attention/dist/${file}.js`;
/** The program with another way to print than the console, which cannot be read everywhere. */
const saying = (file: string, say: string): string => program(address(file)).replaceAll('console.log(', `(${say})(`);

describe('a page without a bundler', () => {
  it.each(FILES)('runs %s.js under a strict policy', async (file) => {
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', program(address(file)));
    expectResult(await open({ folder: consumer.path, path: '/index.html', policy: POLICY }));
  });

  it.each(FILES)('runs %s.js when isolated from other origins', async (file) => {
    consumer.write('index.html', page('./app.js'));
    consumer.write(
      'app.js',
      `if (!crossOriginIsolated) console.log('failed: not isolated');\n${program(address(file))}`,
    );
    const headers = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    };
    expectResult(await open({ folder: consumer.path, path: '/index.html', policy: POLICY, headers }));
  });

  it.each(FILES)('runs %s.js in a worker of its own', async (file) => {
    consumer.write('index.html', page('./app.js'));
    consumer.write(
      'app.js',
      "new Worker('./inner.js', { type: 'module' }).onmessage = ({ data }) => console.log(data);",
    );
    consumer.write('inner.js', saying(file, 'postMessage'));
    expectResult(await open({ folder: consumer.path, path: '/index.html', policy: POLICY }));
  });

  it('runs index.js in an AudioWorklet', async () => {
    consumer.write('index.html', page('./app.js'));
    consumer.write(
      'app.js',
      `
        const context = new OfflineAudioContext(1, 128, 48000);
        await context.audioWorklet.addModule('./worklet.js');
        new AudioWorkletNode(context, 'attention').port.onmessage = ({ data }) => console.log(data);
        await context.startRendering();
      `,
    );
    consumer.write(
      'worklet.js',
      `
        let say;
        ${saying('index', 'say').replace(/main\(\)\.catch(.*);\s*$/s, 'const start = () => main().catch$1;')}
        registerProcessor('attention', class extends AudioWorkletProcessor {
          constructor() {
            super();
            say = (text) => this.port.postMessage(text);
            start();
          }
          process() {
            return false;
          }
        });
      `,
    );
    expectResult(await open({ folder: consumer.path, path: '/index.html', policy: POLICY }));
  });

  /** A page that prints its service worker's messages. */
  const TELL = `
    navigator.serviceWorker.onmessage = ({ data }) => console.log(data);
    await navigator.serviceWorker.register('./service.js', { type: 'module' });
    (await navigator.serviceWorker.ready).active.postMessage('go');
  `;

  const serviceWorker = async (file: string): Promise<string> => {
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', TELL);
    const said = saying(file, 'answer').replace(
      'main().catch',
      'addEventListener("message", ({ source }) => { answer = (text) => source.postMessage(text); main().catch',
    );
    const service = `let answer;\n${said} });`.replace(/;\s*\}\);$/, ' });');
    consumer.write('service.js', service);
    return open({ folder: consumer.path, path: '/index.html', policy: POLICY });
  };

  it.each(['index', 'slim'])('runs %s.js in a service worker', async (file) => {
    expectResult(await serviceWorker(file));
  });

  it.each(['index', 'slim'])('opens a model in a service worker with what %s.js has loaded', async (file) => {
    for (const name of ['config.json', 'model.safetensors'])
      cpSync(join(ROOT, 'tests/fixtures/stories260K', name), join(consumer.path, name));
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', TELL);
    consumer.write(
      'service.js',
      `
        import { load } from '${address(file)}';
        import { openModel } from '${address('models')}';
        async function main() {
          const [config, weights] = await Promise.all(['config.json', 'model.safetensors'].map((name) => fetch(name)));
          const attention = await load();
          const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer(), attention });
          const { logits } = model.forward([1, 403]);
          const tokens = [];
          for await (const token of model.generate([1], { maxTokens: 4 })) tokens.push(token);
          return 'result ' + logits.shape.join() + ' ' + tokens.length;
        }
        addEventListener('message', ({ source }) => {
          main().then((text) => source.postMessage(text), (error) => source.postMessage('failed ' + error));
        });
      `,
    );
    expect(await open({ folder: consumer.path, path: '/index.html', policy: POLICY })).toBe('result 1,2,512 4');
  });

  it('opens a GGUF file in a service worker', async () => {
    cpSync(join(ROOT, 'tests/fixtures/gguf/llama-q8_0/model.gguf'), join(consumer.path, 'model.gguf'));
    consumer.write('index.html', page('./app.js'));
    consumer.write('app.js', TELL);
    consumer.write(
      'service.js',
      `
        import { load } from '${address('slim')}';
        import { openModel, readCheckpoint } from '${address('models')}';
        async function main() {
          const checkpoint = await readCheckpoint('model.gguf');
          const model = await openModel({ ...checkpoint, attention: await load() });
          const { logits } = model.forward([1, 40]);
          return 'result ' + logits.shape.join() + ' ' + checkpoint.tokenizer.json.model.type;
        }
        addEventListener('message', ({ source }) => {
          main().then((text) => source.postMessage(text), (error) => source.postMessage('failed ' + error));
        });
      `,
    );
    expect(await open({ folder: consumer.path, path: '/index.html', policy: POLICY })).toBe('result 1,2,320 BPE');
  });

  it('reports in a service worker, which cannot start workers, that there are none', async () => {
    expect(await serviceWorker('worker')).toContain('failed RangeError: loadWorker: expected an engine with workers');
  });

  it('runs copies of the library beside each other', async () => {
    consumer.write('index.html', page('./app.js'));
    const copies = [address('index'), `${address('index')}?again`, address('slim')];
    // Each refuses the others' objects, and none affects the others' numbers.
    consumer.write(
      'app.js',
      `
        const loaded = await Promise.all(${JSON.stringify(copies)}.map(async (copy) => (await import(copy)).load()));
        const layers = loaded.map((attention) => new attention.Linear({ inFeatures: 2, outFeatures: 2, seed: 1 }));
        const outputs = layers.map((layer) => layer.forward([[1, 2]]).output.data.join());
        layers[0].dispose();
        outputs.push(layers[1].forward([[1, 2]]).output.data.join());
        const refused = loaded.map((attention, i) => {
          try { return new attention.Adam(layers[(i + 1) % 3].parameters()); } catch (error) { return error.name; }
        });
        console.log('result ' + new Set(loaded).size + ' copies, ' + new Set(outputs).size + ' output, ' + refused.join());
      `,
    );
    const printed = await open({ folder: consumer.path, path: '/index.html', policy: POLICY });
    expect(printed).toBe('result 3 copies, 1 output, TypeError,TypeError,TypeError');
  });

  it.each(FILES)('runs %s.js from another origin, as from a CDN', async (file) => {
    const cdn = await servePage({ folder: consumer.path, policy: POLICY, shared: true });
    try {
      consumer.write('index.html', page('./app.js'));
      consumer.write('app.js', program(`${cdn.origin}${address(file)}`));
      const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${cdn.origin}; connect-src ${cdn.origin}; worker-src blob: ${cdn.origin}`;
      expectResult(await open({ folder: consumer.path, path: '/index.html', policy }));
    } finally {
      await cdn.close();
    }
  });

  it('runs from one file, without a server', async () => {
    mkdirSync(join(consumer.path, 'single'), { recursive: true });
    const entry = consumer.write('app.js', program('wasm-attention'));
    const bundle = output('node', [join(TOOLS, 'esbuild/bin/esbuild'), entry, '--bundle', '--format=iife'], {
      cwd: consumer.path,
    });
    const file = consumer.write(
      'single/index.html',
      `<!doctype html><script>${bundle.replaceAll('</script', '<\\/script')}</script>`,
    );
    expectResult(await open({ url: pathToFileURL(file).href }));
  });
});
