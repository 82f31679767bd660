/** What the race, the figures of relative positions and those that train models say to those who do not see them. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { COMPUTED } from '../../../../web/elements/position-training/computed-curves.js';
import { normalDraws } from '../../../../web/elements/shared/normal-draws.js';
import { POSITIONS, type Positions } from '../../../../web/training/settings.js';
import {
  attentionMultiplyAdds,
  convolutionMultiplyAdds,
  recurrenceMultiplyAdds,
} from '../../../reference/complexity.js';
import { rotaryEmbedding } from '../../../reference/rotaryEmbedding.js';
import { bucketOf } from '../../../reference/t5RelativeBuckets.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard, listen } from '../../heard.js';
import { FAST } from '../../race.js';
import { csvOf } from '../../shown.js';

const { open } = useBrowser();

type Settings = Readonly<Record<string, unknown>>;
type Expected = string | readonly string[];

/** What the figure says that it shows. */
const described = (figure: Locator): Promise<string> =>
  figure.evaluate((element) => element.shadowRoot!.getElementById('shown')!.textContent.replace(/\s+/g, ' ').trim());

const change = (figure: Locator, settings: Settings): Promise<void> =>
  figure.evaluate(async (element, settings) => {
    (element as FigureElement).change(settings);
    await (element as FigureElement).updateComplete;
  }, settings);

const settingsOf = (figure: Locator): Promise<Settings> =>
  figure.evaluate((element) => {
    const names = Object.keys((element as FigureElement).settings);
    return Object.fromEntries(names.map((name) => [name, (element as unknown as Settings)[name]]));
  });

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;
const signed = (value: number | string): string => String(value).replace('-', '−');
const NAMES: Readonly<Record<Positions, string>> = {
  none: 'none',
  sinusoidal: 'sinusoidal',
  learned: 'learned',
  rotary: 'RoPE',
  alibi: 'ALiBi',
  shaw: 'Shaw',
};

/** Contestants with their counts, from the fewest. */
function counts({ length, width, kernel }: Record<string, number>): string {
  const [n, d, k] = [length!, width!, kernel!];
  const mixing = attentionMultiplyAdds(n, d);
  const all = [
    ['CNN', convolutionMultiplyAdds(n, d, k)],
    ['RNN', recurrenceMultiplyAdds(n, d)],
    ['mixing alone', mixing],
    ['whole layer', mixing + 4 * n * d * d],
  ] as const;
  const list = [...all].sort(([, a], [, b]) => a - b).map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
  return `n = ${n}, d = ${d}, k = ${k}. From the fewest multiplications: ${list.join(', ')}.`;
}

/** The mean weight that a table of offsets gives to the target, and whether the target has a row of its own. */
async function weightOf(figure: Locator, { kind, clip, buckets, ...all }: Settings): Promise<Expected> {
  const target = Number(all.target);
  const rows = (await csvOf(figure)).rows.map((row) => row.map(Number) as [number, number, number, number]);
  const rowAt = (offset: number) => rows.find(([, first, last]) => first <= offset && offset <= last)!;
  const weights = Array.from({ length: 24 }, (_, i) => i)
    .filter((i) => i + target >= 0 && i + target < 24)
    .map((i) => {
      const powers = Array.from({ length: 24 }, (_, j) => Math.exp(rowAt(j - i)[3]));
      return powers[i + target]! / powers.reduce((sum, power) => sum + power, 0);
    });
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const [, first, last] = rowAt(target);
  return [
    kind === 'shaw' ? `Shaw: clipped offsets, ${2 * Number(clip) + 1} rows.` : `T5: buckets, ${String(buckets)} rows.`,
    first === last
      ? `Offset ${signed(target)} has a row of its own.`
      : `Offset ${signed(target)} shares its row with all offsets from ${signed(first)} to ${signed(last)}.`,
    `Mean weight on it: ${percent(mean, 1)}.`,
  ];
}

/** The encodings' values at the ends of the precomputed curves, and the best head of the maps. */
async function training(figure: Locator, { task, measure, positions }: Settings): Promise<Expected> {
  const isShare = measure === 'accuracy';
  const ends = POSITIONS.map((each) => {
    const end = COMPUTED[task as 'copy'][each][measure as 'loss'].at(-1)!;
    return { end, text: `${NAMES[each]} ${isShare ? percent(end) : end.toFixed(2)}` };
  }).sort((a, b) => (isShare ? b.end - a.end : a.end - b.end));
  const maps = await figure
    .locator('.heads heat-map')
    .evaluateAll((all) => all.map((map) => Array.from((map as HTMLElement & { values: Float32Array }).values)));
  const means = maps.map((values) => {
    const right = Array.from({ length: 32 }, (_, i) => (task === 'copy' ? i - 3 : 31 - i));
    const weights = right.flatMap((key, i) => (key < 0 ? [] : [values[32 * i + key]!]));
    return weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  });
  const best = Math.max(...means);
  const name = NAMES[positions as Positions];
  return [
    `At the end, ${String(measure)}: ${ends.map(({ text }) => text).join(', ')}.`,
    `${name}: the best head, ${means.indexOf(best) + 1}, puts ${percent(best)} of its weight on the right token.`,
  ];
}

/** The accuracies of the saved file at the shortest and the longest sequences. */
async function extrapolation(figure: Locator): Promise<Expected> {
  const { columns, rows } = await csvOf(figure);
  const ends = columns.slice(1).map((column, at) => {
    const values = rows.map((row) => row[at + 1]!).filter((text) => text !== '');
    const name = column.replace(/ \(.*/, '');
    const [first, last] = [values[0], values.at(-1)].map((text) => percent(Number(text)));
    if (values.length < rows.length) return `${name} ${first}, at 32 tokens only`;
    return values.every((text) => percent(Number(text)) === first)
      ? `${name} ${first} at every length`
      : `${name} ${first} to ${last}`;
  });
  return ends;
}

/** Settings of each figure, and parts of what it says with them. */
const CASES: Readonly<
  Record<string, readonly [readonly Settings[], (all: Settings, figure: Locator) => Expected | Promise<Expected>]>
> = {
  'complexity-race': [
    [{}, { length: 64, width: 32 }, { axis: 'd', kernel: 5 }],
    (all) => counts(all as Record<string, number>),
  ],
  'encoding-rotation': [
    [{}, { offset: -30, position: 40 }, { width: 4, position: 3 }],
    (all) => {
      const [offset, position, width] = [all.offset, all.position, all.width].map(Number) as [number, number, number];
      const angle = (j: number): string => {
        const radians = offset / 10000 ** ((2 * j) / width);
        const digits = Math.abs(radians) < 1 ? 1 : 0;
        const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        return signed(((radians * 180) / Math.PI).toLocaleString('en', format));
      };
      return (
        `δ = ${signed(offset)} turns the first hand by ${angle(0)}°, the last by ${angle(width / 2 - 1)}°: ` +
        `from position ${position} to ${signed(position + offset)}. Largest difference`
      );
    },
  ],
  'length-extrapolation': [[{}, { seed: 2 }], (_, figure) => extrapolation(figure)],
  'position-training': [
    [{ task: 'reverse' }, { measure: 'loss' }, { task: 'copy', measure: 'accuracy', positions: 'alibi' }],
    (all, figure) => training(figure, all),
  ],
  'relative-biases': [
    [
      { heads: 4, head: 2 },
      { scheme: 't5', causal: false, bidirectional: false },
      { scheme: 'shaw', causal: true },
    ],
    ({ scheme, heads, head, buckets, distance, bidirectional, clip, causal }) => {
      if (scheme === 'alibi') {
        const slope = 2 ** ((-8 * Number(head)) / Number(heads));
        return [
          `head ${String(head)} of ${String(heads)}: the slope is ${slope}, so`,
          `to −${23 * slope} at distance 23`,
        ];
      }
      if (scheme === 'shaw') {
        const c = Number(clip);
        return [
          `Shaw: ${c + 1} of the table’s ${2 * c + 1} rows`,
          `offsets −23 to −${c} share one. Keys after the query`,
        ];
      }
      const numBuckets = Number(buckets);
      const options = { bidirectional: bidirectional === true, numBuckets, maxDistance: Number(distance) };
      const found = Array.from({ length: 47 }, (_, at) => bucketOf(at - 23, options));
      expect(causal).toBe(false);
      // All keys ahead share the bucket of distance 0.
      expect(found.slice(23)).toEqual(new Array(24).fill(0));
      return `T5: ${new Set(found).size} of the table’s ${numBuckets} rows are in use here; offsets 0 to 23 share one.`;
    },
  ],
  'relative-tables': [[{}, { target: -8 }, { kind: 't5', target: 5 }], (all, figure) => weightOf(figure, all)],
  'rotary-pairs': [
    [{}, { query: 30, key: 33 }, { seed: 5 }],
    (all) => {
      const [query, key, seed] = [all.query, all.key, all.seed].map(Number) as [number, number, number];
      const draws = normalDraws(16, seed);
      const [q, k] = [draws.subarray(0, 8), draws.subarray(8)].map(
        (data, at) =>
          rotaryEmbedding({ data, shape: [1, 8] }, { offset: at === 0 ? query : key, interleaved: true }).data,
      );
      const sum = Array.from(q!).reduce((total, x, c) => total + x * k![c]!, 0);
      return [
        `i = ${query}, j = ${key}: j − i = ${signed(key - query)}. Sum of the products: ${signed(sum.toFixed(3))}.`,
        `with this offset (${41 - Math.abs(key - query)}): `,
      ];
    },
  ],
};
const TAGS = Object.keys(CASES);

test.each(TAGS)('%s says what comes of its settings', async (tag) => {
  const { figure } = await openAlone(open, tag);
  const [settings, expected] = CASES[tag]!;
  const said = new Set<string>();
  for (const each of settings) {
    await change(figure, each);
    const text = await described(figure);
    for (const part of [await expected(await settingsOf(figure), figure)].flat()) expect(text).toContain(part);
    said.add(text);
  }
  expect(said.size).toBe(settings.length);
});

test('each has its sentence in every language', async () => {
  const all = new Map<string, string[]>();
  for (const language of LANGUAGES) {
    const page = await open({ path: `/${language}/${TAGS.join('+')}`, figures: TAGS });
    const texts: string[] = [];
    for (const tag of TAGS) {
      const figure = page.locator(tag);
      for (const settings of CASES[tag]![0]) {
        await change(figure, settings);
        texts.push(await described(figure));
      }
    }
    all.set(language, texts);
  }
  expect(all.size).toBe(5);
  const english = all.get('en')!;
  for (const [language, texts] of all) {
    texts.forEach((text, at) => {
      expect(text).not.toBe('');
      expect(text).not.toMatch(/[{}]|NaN|undefined/);
      if (language !== 'en') expect(text).not.toBe(english[at]);
    });
  }
});

/** A slider of each figure, and a key that changes it. */
const KEYS: Readonly<Record<string, readonly [name: string, key: string]>> = {
  'complexity-race': ['Tokens n', 'ArrowRight'],
  'encoding-rotation': ['Offset δ', 'ArrowRight'],
  'length-extrapolation': ['Seed', 'ArrowRight'],
  'position-training': ['Seed', 'ArrowRight'],
  'relative-biases': ['Head t', 'ArrowRight'],
  'relative-tables': ['Offset to attend to', 'ArrowLeft'],
  'rotary-pairs': ['Key position j', 'ArrowRight'],
};

test.each(Object.entries(KEYS))('%s says it once after a key, and after Reset', async (tag, [name, key]) => {
  const { page, figure } = await openAlone(open, tag);
  await figure.getByRole('slider', { name, exact: true }).focus();
  for (const act of [
    () => page.keyboard.press(key),
    () => figure.getByRole('button', { name: 'Reset' }).press('Enter'),
  ]) {
    const said = await heard(page, act);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(await described(figure));
  }
});

describe('complexity-race', () => {
  test('speaks once after a race, from the fastest to the slowest', async () => {
    const { page, figure } = await openAlone(open, 'complexity-race', { script: FAST });
    const said = await heard(page, () => figure.getByRole('button', { name: 'Start the race' }).press('Enter'));
    // 16,777,216 multiplications at 10¹² per ms, and the others' at 10⁶.
    expect(said).toEqual([
      expect.stringContaining(
        'Measured, from the fastest: mixing alone 16.8 ns, RNN 8.39 ms, CNN 12.6 ms, whole layer 33.6 ms. Crossings',
      ),
    ]);
  });

  test('says once that it cannot run', async () => {
    const { page, figure } = await openAlone(open, 'complexity-race', { script: 'delete globalThis.Worker' });
    const said = await heard(page, () => figure.getByRole('button', { name: 'Start the race' }).press('Enter'));
    expect(said).toEqual([expect.stringMatching(/^The race needs web workers.*n = 256/)]);
  });
});

describe('encoding-rotation', () => {
  /** The spoken goals that are reached. */
  const goals = (said: readonly string[]): string[] => said.filter((text) => text.startsWith('reached: '));

  test('its goals are reached by keys, and a hidden position is found by what is said', async () => {
    const { page, figure } = await openAlone(open, 'encoding-rotation');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await figure.and(page.locator('[drawn]')).waitFor();
    const hands = figure.locator('.clock').getByRole('slider');
    expect(await hands.evaluateAll((all) => all.map((hand) => (hand as SVGElement).tabIndex))).toEqual([
      0,
      ...new Array<number>(7).fill(-1),
    ]);
    expect(await hands.nth(1).getAttribute('aria-valuetext')).toBe(
      `position 10: ${Math.round(((10 / 10 ** 0.5) * 180) / Math.PI)}°`,
    );
    await hands.first().focus();
    const turned = await heard(page, async () => {
      for (let count = 0; count < 6; ++count) await page.keyboard.press('ArrowUp');
    });
    expect(await settingsOf(figure)).toMatchObject({ position: 16 });
    expect(turned).toHaveLength(1);
    expect(goals(turned)[0]).toMatch(/^reached: Take the tip of the first hand.* δ = 6 turns/);

    const hide = figure.getByRole('button', { name: 'Hide a position' });
    const hidden = await heard(page, () => hide.press('Enter'));
    expect(hidden).toHaveLength(1);
    // The mark of the third hand, which goes round in 63 positions.
    const mark = Number(/pair 2 at \d+°, mark at (\d+)°/.exec(hidden[0]!)?.[1]);
    const sought = Math.round((mark / 360) * 20 * Math.PI);
    await figure.getByRole('slider', { name: 'Position i', exact: true }).focus();
    const found = await heard(page, async () => {
      for (let at = 16; at !== sought; at += Math.sign(sought - at))
        await page.keyboard.press(sought > at ? 'ArrowRight' : 'ArrowLeft');
    });
    expect(found).toHaveLength(1);
    expect(goals(found)[0]).toMatch(/^reached: Hide a position, then find it/);
  });
});

/** Workers that do only what the test tells them: `workers` has them all, with the messages that they got. */
const OBEDIENT = `
  globalThis.workers = [];
  globalThis.Worker = class {
    messages = [];
    constructor() { workers.push(this); }
    postMessage(message) { this.messages.push(message); }
    terminate() {}
  };`;

/** The last worker's answer to its last message of a run. */
async function answer(page: Page, message: Settings): Promise<void> {
  await page.evaluate((data) => {
    const { workers } = globalThis as unknown as {
      workers: { messages: { run: number }[]; onmessage(event: object): void }[];
    };
    const worker = workers.at(-1)!;
    worker.onmessage({ data: { ...data, run: worker.messages.at(-1)!.run } });
  }, message);
}

const focused = (figure: Locator): Promise<string | undefined> =>
  figure.evaluate((element) => element.shadowRoot!.activeElement?.textContent?.trim());

describe('position-training', () => {
  const progress = (step: number): Settings => ({
    type: 'progress',
    progress: { step, loss: 0.5, accuracy: 0.25, stepsPerSecond: 80 },
  });

  test('shows that its curves were computed in advance, and does not say it each time', async () => {
    const { page, figure } = await openAlone(open, 'position-training');
    const said = await heard(page, () => figure.getByRole('radio', { name: 'RoPE' }).press('Space'));
    expect(said).toEqual([await described(figure)]);
    const note = 'Curves and maps were computed in advance';
    expect(said[0]).not.toContain(note);
    expect(await figure.locator('.readout').innerText()).toContain(`${said[0]} ${note}`);
  });

  test('speaks when a training pauses and once when it has ended; the focus stays on its buttons', async () => {
    const { page, figure } = await openAlone(open, 'position-training', { script: OBEDIENT });
    expect(
      await heard(page, async () => {
        await figure.getByRole('button', { name: 'Train: learned' }).press('Enter');
        for (const step of [1, 2, 3]) await answer(page, progress(step));
      }),
    ).toEqual([]);
    expect(await focused(figure)).toBe('Pause');
    const paused = await heard(page, async () => {
      await page.keyboard.press('Enter');
      await answer(page, { type: 'paused' });
    });
    expect(paused).toEqual(['learned: step 3 of 400, 80 steps per second, loss 0.500, accuracy 25.0%.']);
    expect(await focused(figure)).toBe('Resume');
    const ended = await heard(page, async () => {
      await page.keyboard.press('Enter');
      await answer(page, { type: 'resumed' });
      for (const step of [4, 5]) await answer(page, progress(step));
      await answer(page, { type: 'ended', reason: 'finished', steps: 5, accuracy: 0.5 });
    });
    expect(ended).toEqual([
      expect.stringMatching(
        /^learned: done\. On new sequences, 50\.0% of the answers are right\. Task: .* learned 25%/,
      ),
    ]);
    expect(await focused(figure)).toBe('Train: learned');
  });

  test('without workers the focus stays, and it says so once', async () => {
    const { page, figure } = await openAlone(open, 'position-training', { script: 'delete globalThis.Worker' });
    const said = await heard(page, () => figure.getByRole('button', { name: 'Train all six' }).press('Enter'));
    expect(said).toEqual([expect.stringMatching(/^The training could not run here\. Task: /)]);
    expect(await focused(figure)).toBe('Train all six');
  });
});

describe('length-extrapolation', () => {
  test('speaks once when all five are trained, and compares them', async () => {
    const { page, figure } = await openAlone(open, 'length-extrapolation', { script: OBEDIENT });
    const end = await listen(page);
    await figure.getByRole('button', { name: 'Train all five' }).press('Enter');
    for (let model = 0; model < 5; ++model) {
      // Longer than the pause after which a figure speaks.
      await page.waitForTimeout(450);
      const accuracies = Array.from({ length: 8 }, (_, k) => (model === 4 ? 0.9 : 0.9 - 0.1 * k * (model / 3)));
      await answer(page, { type: 'ended', reason: 'finished', steps: 200, accuracy: 1, accuracies });
    }
    await page.waitForTimeout(900);
    expect((await end()).map(({ text }) => text)).toEqual([
      'Accuracy on 32 to 256 tokens: sinusoidal 90% at every length; Shaw 90% at every length; learned 90% to 67%; ' +
        'RoPE 90% to 43%; ALiBi 90% to 20%. Done: all five were trained here, with seed 1.',
    ]);
    expect(await focused(figure)).toBe('Train all five');
  });
});
