import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { Page } from 'playwright-core';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { openModel, pixelsOf, type VisionModel } from 'wasm-attention/models';
import { png } from '../../support/png.js';
import { ROOT, output } from '../support.js';
import { TOOLS, useChromium, useConsumer } from './support.js';

const consumer = useConsumer();
const open = useChromium();
const EXAMPLES = join(ROOT, 'web/examples');

/** The package is installed where the example is copied to. */
function copy(example: string): void {
  cpSync(join(EXAMPLES, example), consumer.path, { recursive: true });
}

const shown = async (page: Page, pattern: RegExp): Promise<string> => {
  const place = page.locator('output').filter({ hasText: pattern });
  await place.waitFor();
  return (await place.textContent())!;
};

describe('the example', () => {
  it('plain shows weights that sum to one', async () => {
    copy('plain');
    const text = await open({ folder: consumer.path, path: '/index.html', policy: '' }, (page) => shown(page, /%/));
    const shares = Array.from(text.matchAll(/(\d+) %/g), ([, share]) => Number(share));
    expect(shares).toHaveLength(4);
    // Four numbers, each rounded by at most a half.
    expect(Math.abs(shares.reduce((a, b) => a + b) - 100)).toBeLessThanOrEqual(2);
    // The query is most like the animal.
    expect(Math.max(...shares)).toBe(shares[1]);
  });

  it('vite builds, and shows products that depend on the distance', async () => {
    copy('vite');
    output('node', [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: consumer.path,
    });
    const folder = join(consumer.path, 'dist');
    expect(readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.wasm'))).toHaveLength(4);
    const text = await open({ folder, path: '/index.html', policy: '' }, (page) => shown(page, /apart/));
    // sum over 16 frequencies of cos(distance * frequency), in float64.
    const product = (distance: number) =>
      Array.from({ length: 16 }, (_, j) => Math.cos(distance * 10000 ** (-j / 16))).reduce((a, b) => a + b);
    expect(text).toBe([0, 1, 5, 20].map((d) => `${d} apart: ${product(d).toFixed(2)}`).join(', '));
  });

  it('node learns', () => {
    copy('node');
    const losses = Array.from(
      output('node', ['main.mjs'], { cwd: consumer.path }).matchAll(/loss ([\d.]+)/g),
      ([, loss]) => Number(loss),
    );
    expect(losses).toHaveLength(4);
    expect(losses[3]!).toBeLessThan(losses[0]! / 5);
  });

  /** The tokenizers are installed beside the package. */
  function copyWithTokenizers(example: string): string {
    copy(example);
    const tokenizers = 'node_modules/@huggingface/tokenizers';
    cpSync(join(TOOLS, '@huggingface/tokenizers'), join(consumer.path, tokenizers), { recursive: true });
    return join(ROOT, 'tests/fixtures/stories260K');
  }

  it('search ranks sentences, the most alike first', () => {
    const model = copyWithTokenizers('search');
    const sentences = ['One day, it rained.', 'The dog was happy.', 'The cat was happy.'];
    writeFileSync(join(consumer.path, 'sentences.txt'), sentences.join('\n'));
    const printed = output('node', ['main.mjs', model, 'The cat was happy.', 'sentences.txt'], {
      cwd: consumer.path,
    });
    const rows = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '));
    expect(rows.map(([, sentence]) => sentence)).toEqual([...sentences].reverse());
    expect(rows[0]![0]).toBe('1.000');
  });

  it('search-page builds, opens its model in a worker, and ranks sentences', async () => {
    const model = copyWithTokenizers('search-page');
    cpSync(model, join(consumer.path, 'public/model'), { recursive: true });
    output('node', [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: consumer.path,
    });
    const given = { folder: join(consumer.path, 'dist'), path: '/index.html', policy: '' };
    let found!: { readonly first: string[]; readonly bar: number[]; readonly second: string[] };
    await open(given, async (page) => {
      await shown(page, /ready/);
      const ranked = (): Promise<string[]> => page.locator('li').allTextContents();
      const first = await ranked();
      const bar = await page.locator('progress').evaluate((each: HTMLProgressElement) => [each.value, each.max]);
      await page.fill('input', 'One day, it rained.');
      await page.locator('li:first-child', { hasText: 'rained' }).waitFor();
      found = { first, bar, second: await ranked() };
      return '';
    });
    expect(found.first[0]).toBe('1.000 The cat was happy.');
    expect(found.second[0]).toBe('1.000 One day, it rained.');
    expect(found.bar[0]).toBe(found.bar[1]);
    expect(found.bar[0]).toBeGreaterThan(1e6);
  });

  it('pictures builds, names the class of a picture, and shows its patches', async () => {
    copy('pictures');
    const [model, folder] = [join(ROOT, 'tests/fixtures/models/vit'), join(consumer.path, 'public/model')];
    cpSync(model, folder, { recursive: true });
    // The crop is higher than the picture, which has black around it.
    const crop = { do_resize: false, do_center_crop: true, crop_size: { height: 24, width: 24 } };
    const imageConfig = { image_processor_type: 'ViTImageProcessor', ...crop };
    writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify(imageConfig));
    output('node', [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: consumer.path,
    });
    const data = Uint8Array.from({ length: 4 * 30 * 20 }, (_, i) => (i % 4 === 3 ? 255 : (i * 7) & 255));
    const picture = { data, width: 30, height: 20 };
    const here = await openModel<VisionModel>({
      config: JSON.parse(readFileSync(join(model, 'config.json'), 'utf8')) as unknown,
      weights: new Uint8Array(readFileSync(join(model, 'model.safetensors'))),
    });
    const { data: logits } = here.forward(pixelsOf(picture, imageConfig)).logits!;
    const given = { folder: join(consumer.path, 'dist'), path: '/index.html', policy: '' };
    const label = await open(given, async (page) => {
      await shown(page, /2 layers of 3 heads/);
      await page
        .locator('input')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png(data, picture.width, picture.height) });
      const named = await shown(page, new RegExp(here.labels!.join('|')));
      await page.locator('patch-viewer[drawn]').waitFor();
      expect(await page.locator('patch-viewer .plot').getAttribute('aria-label')).toContain('3 × 3');
      return named;
    });
    expect(label).toBe(here.labels![logits.indexOf(Math.max(...logits))]);
    here.dispose();
  });

  const FIXTURES = join(ROOT, 'tests/fixtures/models');
  const WORDS = '[PAD] [UNK] [CLS] [SEP] where is the ball ? it in garden . lily was happy day rain'.split(' ');
  const [UNK, CLS, SEP] = [1, 2, 3];
  const idsOf = (words: string): number[] => words.split(' ').map((word) => WORDS.indexOf(word));

  /** A random BERT of the tests, and the tokenizer of a published one with few words, in the example's folder `model`. */
  function writeBert(config: object, weights: Uint8Array): void {
    const special = (id: number) => ({ SpecialToken: { id: WORDS[id], type_id: 0 } });
    const text = (id: string, type: number) => [
      { Sequence: { id, type_id: type } },
      { SpecialToken: { id: '[SEP]', type_id: type } },
    ];
    const tokenizer = {
      added_tokens: [0, UNK, CLS, SEP].map((id) => ({ id, content: WORDS[id], special: true, normalized: false })),
      normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [special(CLS), ...text('A', 0)],
        pair: [special(CLS), ...text('A', 0), ...text('B', 1)],
        special_tokens: {
          '[CLS]': { id: '[CLS]', ids: [CLS], tokens: ['[CLS]'] },
          '[SEP]': { id: '[SEP]', ids: [SEP], tokens: ['[SEP]'] },
        },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
      },
    };
    const folder = join(consumer.path, 'model');
    mkdirSync(folder, { recursive: true });
    const write = (name: string, value: object): void => writeFileSync(join(folder, name), JSON.stringify(value));
    write('config.json', config);
    write('tokenizer.json', tokenizer);
    write('tokenizer_config.json', { tokenizer_class: 'BertTokenizer' });
    writeFileSync(join(folder, 'model.safetensors'), weights);
  }

  const QUESTION = 'where is the ball ?';

  it('rerank ranks passages by the score of each pair', async () => {
    copyWithTokenizers('rerank');
    // A classifier of one label: the first one of five.
    const of = (name: string): Buffer => readFileSync(join(FIXTURES, 'bert-multi-label', name));
    const tensors = readSafetensors(of('model.safetensors'));
    for (const name of ['classifier.weight', 'classifier.bias']) {
      const { data, shape } = tensors[name]!;
      tensors[name] = { data: data.slice(0, data.length / 5), shape: [1, ...shape.slice(1)] };
    }
    const given = JSON.parse(of('config.json').toString()) as object;
    const config = { ...given, id2label: { 0: 'LABEL_0' }, label2id: {} };
    const weights = writeSafetensors(tensors);
    writeBert(config, weights);
    const passages = ['lily was happy .', 'the ball is in the garden .', 'it was the day .', 'rain in the garden'];
    writeFileSync(join(consumer.path, 'passages.txt'), passages.join('\n'));
    const printed = output('node', ['main.mjs', 'model', 'Where is the ball?', 'passages.txt'], { cwd: consumer.path });

    // Each pair alone, with its ids written by hand.
    const model = await openModel({ config, weights });
    const scores = passages.map((passage) => {
      const [first, second] = [
        [CLS, ...idsOf(QUESTION), SEP],
        [...idsOf(passage), SEP],
      ];
      const tokenTypes = [...first.map(() => 0), ...second.map(() => 1)];
      return model.forward([...first, ...second], { tokenTypes }).logits!.data[0]!;
    });
    model.dispose();
    const order = [...passages.keys()].sort((a, b) => scores[b]! - scores[a]!);
    const rows = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '));
    expect(rows.map(([, passage]) => passage)).toEqual(order.map((i) => passages[i]));
    // Printed with three digits, of floats that padding may round otherwise.
    rows.forEach(([score], row) => expect(Math.abs(Number(score) - scores[order[row]!]!)).toBeLessThan(0.0006));
    expect(scores[order[0]!]! - scores[order[3]!]!).toBeGreaterThan(0.01);
  });

  it('answer finds the span with the largest sum of logits in the text', async () => {
    copyWithTokenizers('answer');
    const [config, weights] = ['config.json', 'model.safetensors'].map((name) =>
      readFileSync(join(FIXTURES, 'bert-question-answering', name)),
    ) as [Buffer, Buffer];
    const parsed = JSON.parse(config.toString()) as object;
    writeBert(parsed, weights);
    const model = await openModel({ config: parsed, weights });
    const texts = ['lily was happy . the ball is in the garden .', 'it was the day . rain is in the garden .'];
    for (const text of texts) {
      writeFileSync(join(consumer.path, 'text.txt'), text);
      const printed = output('node', ['main.mjs', 'model', 'Where is the ball?', 'text.txt'], { cwd: consumer.path });
      const [first, second] = [
        [CLS, ...idsOf(QUESTION), SEP],
        [...idsOf(text), SEP],
      ];
      const tokenTypes = [...first.map(() => 0), ...second.map(() => 1)];
      const { data } = model.forward([...first, ...second], { tokenTypes }).logits!;
      const words = text.split(' ');
      const spans = words.flatMap((_, start) =>
        words.slice(start).map((_, length) => ({
          score: data[2 * (first.length + start)]! + data[2 * (first.length + start + length) + 1]!,
          words: words.slice(start, start + length + 1),
        })),
      );
      const best = spans.reduce((a, b) => (b.score > a.score ? b : a));
      // Decoded text has no space before a full stop.
      expect(printed).toBe(`${best.score.toFixed(3)}  ${best.words.join(' ').replaceAll(' .', '.')}\n`);
    }
    model.dispose();
  });

  it('corpus embeds the same vectors on one core as on two', () => {
    const model = copyWithTokenizers('corpus');
    const sentences = Array.from({ length: 70 }, (_, i) => `The cat was happy${' and happy'.repeat(i % 5)}, one day.`);
    writeFileSync(join(consumer.path, 'sentences.txt'), sentences.join('\n'));
    const [one, two] = [1, 2].map((workers) => {
      const printed = output('node', ['main.mjs', model, 'sentences.txt', String(workers)], { cwd: consumer.path });
      expect(printed).toMatch(RegExp(`^70 sentences, ${workers} workers: \\d+ per second\n$`));
      return readFileSync(join(consumer.path, 'embeddings.f32'));
    });
    // 64 numbers for each sentence.
    expect(one).toHaveLength(70 * 64 * 4);
    expect(two).toEqual(one);
    const rows = Array.from({ length: 10 }, (_, i) => one!.toString('hex', i * 256, (i + 1) * 256));
    expect(rows.slice(0, 5)).toEqual(rows.slice(5));
    expect(new Set(rows).size).toBe(5);
  });

  it('generate writes the story that the model is known for, and its speed', () => {
    const model = copyWithTokenizers('generate');
    const { text } = JSON.parse(readFileSync(join(model, 'expected.json'), 'utf8')) as { text: string };
    const printed = output('node', ['main.mjs', model], { cwd: consumer.path });
    // The prompt is the story's beginning, so the greedy tokens behind it are the same.
    const [story, speed] = printed.trimEnd().split(/\n\n(?=\d+ tokens)/);
    expect(text.length).toBeGreaterThan(400);
    expect(story!.startsWith(text.trim())).toBe(true);
    expect(speed).toMatch(/^200 tokens, \d+ per second$/);
  });

  it('chat answers each line, by the template of the model, as a generation from the whole talk does', async () => {
    const fixture = copyWithTokenizers('chat');
    cpSync(join(TOOLS, '@huggingface/jinja'), join(consumer.path, 'node_modules/@huggingface/jinja'), {
      recursive: true,
    });
    const folder = join(consumer.path, 'model');
    cpSync(fixture, folder, { recursive: true });
    const read = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    const write = (name: string, value: object): void => writeFileSync(join(folder, name), JSON.stringify(value));
    const chat_template =
      "{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% if not loop.last %} {% endif %}{% endfor %}";
    write('tokenizer_config.json', { ...read('tokenizer_config.json'), bos_token: { content: '<s>' }, chat_template });
    // The tokens of a full stop and of an end.
    write('generation_config.json', { eos_token_id: [426, 2] });
    const lines = ['Once upon a time', 'One day', 'The end'];
    const printed = output('node', ['main.mjs', folder, '3'], { cwd: consumer.path, input: `${lines.join('\n')}\n` });

    const config = read('config.json');
    const weights = readFileSync(join(folder, 'model.safetensors'));
    const model = await openModel({ config, weights, generationConfig: read('generation_config.json') });
    const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
    const said: string[] = [];
    let expected = '> ';
    for (const line of lines) {
      said.push(line);
      const { ids } = tokenizer.encode(said.join(' '));
      const written = [];
      const options = { temperature: 0.7, minP: 0.05, seed: 3 };
      for await (const id of model.generate(ids, options)) written.push(id);
      expect(written.at(-1)).toBe(426);
      said.push(tokenizer.decode(written, { skip_special_tokens: true }));
      expected += `${said.at(-1)!}\n> `;
    }
    expect(printed).toBe(expected);
    model.dispose();
  });

  it('worker stops when told, and starts again', async () => {
    copy('worker');
    const text = await open({ folder: consumer.path, path: '/index.html', policy: '' }, async (page) => {
      await shown(page, /ready/);
      await page.click('#start');
      await shown(page, /computing/);
      await page.waitForTimeout(300);
      await page.click('#stop');
      await shown(page, /stopped/);
      await page.click('#start');
      return shown(page, /computing/);
    });
    expect(text).toBe('computing');
  });
});
