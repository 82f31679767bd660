/** How the package's entries share modules, and what they need from the engine. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, evaluate, read } from './support.js';

const fixture = (name: string): string => join(ROOT, 'tests/fixtures', name);

test('no module is in two files, except for single-file builds', () => {
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('anywidget.js'),
  );
  // Messages of checks, memory, an operation, a layer, models, files and figures.
  for (const text of [
    'to be a finite float32',
    'load({ fresh: true }) makes a new module',
    'to be nested to one depth',
    'maxGradNorm',
    'no config.quantization_config',
    'bytes of data, as the header says',
    'litElementVersions',
  ]) {
    expect([text, files.filter((file) => read(`dist/${file}`).includes(text)).length]).toEqual([text, 1]);
  }
});

test('a model opens with the module of either entry, with the same results', () => {
  const code = `
    import { readFileSync } from 'node:fs';
    import * as whole from '${join(ROOT, 'dist/index.js')}';
    import * as slim from '${join(ROOT, 'dist/slim.js')}';
    import { openModel } from '${join(ROOT, 'dist/models.js')}';
    const config = JSON.parse(readFileSync('${fixture('stories260K/config.json')}'));
    const weights = readFileSync('${fixture('stories260K/model.safetensors')}');
    const outputs = [];
    for (const attention of [undefined, await whole.load(), await slim.load({ wasm: readFileSync('${join(ROOT, 'dist/wasm-attention.wasm')}') })]) {
      const model = await openModel({ config, weights, ...(attention && { attention }) });
      outputs.push(model.forward([1, 403, 407]).logits.data.join());
    }
    console.log(JSON.stringify(new Set(outputs).size));
  `;
  expect(evaluate(code)).toBe(1);
});

test.each(['stories260K', 'models/gpt2', 'models/gpt-neox', 'models/bert-padded', 'gguf/llama-q8_0'])(
  '%s opens and computes where import() does not exist',
  (name) => {
    // import() rejects in modules of this context, as in a service worker.
    const code = `
      import { readFileSync } from 'node:fs';
      import { SourceTextModule } from 'node:vm';
      import { pathToFileURL } from 'node:url';
      const modules = new Map();
      const moduleOf = (url) => {
        if (!modules.has(url.href)) {
          const initializeImportMeta = (meta) => { meta.url = url.href; };
          modules.set(url.href, new SourceTextModule(readFileSync(url, 'utf8'), { identifier: url.href, initializeImportMeta }));
        }
        return modules.get(url.href);
      };
      const linked = async (file) => {
        const entry = moduleOf(pathToFileURL(file));
        await entry.link((specifier, { identifier }) => moduleOf(new URL(specifier, identifier)));
        await entry.evaluate();
        return entry.namespace;
      };
      const { load } = await linked('${join(ROOT, 'dist/slim.js')}');
      const { openModel } = await linked('${join(ROOT, 'dist/models.js')}');
      const options = ${
        name.startsWith('gguf')
          ? `{ weights: readFileSync('${fixture(name)}/model.gguf') }`
          : `{
        config: JSON.parse(readFileSync('${fixture(name)}/config.json')),
        weights: readFileSync('${fixture(name)}/model.safetensors'),
      }`
      };
      const without = await openModel(options).catch(({ name, message }) => name + ': ' + message);
      const model = await openModel({ ...options, attention: await load({ wasm: readFileSync('${join(ROOT, 'dist/wasm-attention.wasm')}') }) });
      const { hidden } = model.forward([1, 2, 3]);
      const tokens = [];
      if (model.family !== 'bert') for await (const token of model.generate([1, 2, 3], { maxTokens: 3 })) tokens.push(token);
      console.log(JSON.stringify([without, hidden.shape[1], hidden.data.every(Number.isFinite), tokens.length]));
    `;
    const [without, count, isFinite, tokens] = evaluate(code, { flags: ['--experimental-vm-modules'] }) as unknown[];
    expect(without).toMatch(/^RangeError: openModel: expected the library's file, got /);
    expect([count, isFinite, tokens]).toEqual([3, true, name === 'models/bert-padded' ? 0 : 3]);
  },
);
