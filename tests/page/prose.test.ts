import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { inAlphabet } from '../../web/page/plugins/math.js';
import { LANGUAGES } from '../../web/elements/languages.js';
import { pageHtml } from '../../web/page/plugins/pages.js';
import { renderProse } from '../../web/page/plugins/prose.js';
import { cellsOf, FILES, readProse, textsOf } from '../support/proseFiles.js';

const ROOT = join(import.meta.dirname, '../../web/page');
/** Each page's sections, and its figures in the order of their ideas. */
const PAGES = {
  prose: {
    sections: [
      'self-attention',
      'what-attention-does',
      'asking-itself',
      'several-heads',
      'masks',
      'cnn-rnn-self-attention',
      'positional-encoding',
      'absolute-position',
      'relative-position',
      'summary',
      'exercises',
      'references',
    ],
    figures: [
      'language-model',
      'attention-lookup',
      'follow-word',
      'attention-masks',
      'path-lengths',
      'permutation-demo',
      'positional-heatmap',
      'encoding-rotation',
    ],
  },
  further: {
    sections: [
      'dropout',
      'race',
      'bits',
      'similarity',
      'checks',
      'beyond',
      'rotary-positions',
      'position-biases',
      'learned-tasks',
      'longer-sequences',
      'patches',
      'language-model',
      'depth',
      'references',
    ],
    figures: [
      'attention-dropout',
      'complexity-race',
      'binary-positions',
      'encoding-similarity',
      'rotary-pairs',
      'relative-biases',
      'relative-tables',
      'position-training',
      'length-extrapolation',
      'patch-positions',
      'depth-collapse',
    ],
  },
};
const withFront = (body: string): string => `---\ntitle: T\ndescription: D\n---\n${body}`;

const htmlOf = new Map<string, string>();
for (const language of LANGUAGES) {
  htmlOf.set(`${language} prose`, await pageHtml(ROOT, join(ROOT, language, 'index.html')));
  htmlOf.set(`${language} further`, await pageHtml(ROOT, join(ROOT, language, 'further/index.html')));
}
const idsIn = (html: string): Set<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));

describe.each(LANGUAGES.flatMap((language) => FILES.map((file) => [language, file] as const)))(
  'the page in %s, %s.md',
  (language, file) => {
    const html = htmlOf.get(`${language} ${file}`)!;
    const { sections, figures: tags } = PAGES[file];

    test('has nothing that the content security policy would block', () => {
      expect(html).not.toMatch(/ style="/);
      expect(html).not.toMatch(/<style/);
      expect(html).not.toMatch(/<script(?![^>]* src=)/);
      expect(html).not.toMatch(/ on[a-z]+="/);
    });

    test('has the sections of the source in order, and more headings in long sections', () => {
      const contents = /<ol id="contents"[\s\S]*?<\/nav>/.exec(html)![0];
      expect([...contents.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id)).toEqual(sections);
    });

    test('has formulas as MathML that every browser renders', () => {
      expect(html.match(/<math/g)?.length).toBeGreaterThan(30);
      expect(html).not.toMatch(/mathvariant="(?!normal)/);
      expect(html).not.toMatch(/columnalign|katex-error|<annotation/);
      expect(html).not.toMatch(/\$\$|\$\\/);
    });

    test('has a caption that asks a question above each figure but the first, whose picture is on the first screen', () => {
      const figures = html.match(/<figure[\s\S]*?<\/figure>/g) ?? [];
      expect(figures.map((figure) => /<([a-z]+-[a-z-]+)/.exec(figure)?.[1])).toEqual(tags);
      const numbers = figures.map((figure) => Number(/<span class="number"[^>]*>\D*(\d+)/.exec(figure)?.[1]));
      expect(numbers).toEqual(tags.map((_, at) => at + 1));
      // Teaching does not open answers.
      expect(html).not.toMatch(/<details(?:(?!<\/details>)[^])*<figure/);
      for (const figure of figures)
        expect(figure).toMatch(
          /<figcaption>\s*<p><span class="number"[^>]*>[^<]+<\/span> <strong[^>]*>[^<]*\?<\/strong>/,
        );
      expect(figures.map((figure) => /^<figure[^>]*>\s*<figcaption>/.test(figure))).toEqual(
        tags.map((tag) => tag !== 'language-model'),
      );
    });

    test('names each figure by its number and its question', () => {
      for (const [figure] of html.matchAll(/<figure[\s\S]*?<\/figure>/g)) {
        const id = /^<figure id="([^"]+)"/.exec(figure)?.[1];
        expect(figure).toContain(` aria-labelledby="${id}-number ${id}-question"`);
        expect(figure).toContain(`<span class="number" id="${id}-number">`);
        expect(figure).toContain(`<strong id="${id}-question">`);
      }
    });

    // In Markdown, an ordinal at the beginning of a line starts a list.
    test('has no numbered list in its questions', () => {
      const checks = html.match(/<(?:div|form) class="check"[\s\S]*?<\/fieldset>/g) ?? [];
      // Goals take the place of questions in the section.
      expect(checks.length).toBe(file === 'prose' ? 0 : 14);
      expect(checks.filter((check) => check.includes('<ol'))).toEqual([]);
    });

    test('has the targets of all links, and a link to each reference', () => {
      const ids = idsIn(html);
      const links = new Set([...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id!));
      expect([...links].filter((id) => !ids.has(id))).toEqual([]);
      expect([...ids].filter((id) => id.startsWith('ref-') && !links.has(id))).toEqual([]);
    });

    test('links to targets of the other page', () => {
      const [other, folder] = file === 'prose' ? ['further', 'further/'] : ['prose', '../'];
      const ids = idsIn(htmlOf.get(`${language} ${other}`)!);
      const links = [...html.matchAll(/ href="([^"#]*)#([^"]+)"/g)].filter(([, to]) => to === folder);
      expect(links.length).toBeGreaterThan(5);
      expect(links.map(([, , id]) => id!).filter((id) => !ids.has(id))).toEqual([]);
      expect(html).toContain(`href="${folder}"`);
    });

    test('links every reference to the work', () => {
      const [references = ''] = /<ul class="references">[\s\S]*?<\/ul>/.exec(html) ?? [];
      const items = references.match(/<li id="ref-/g) ?? [];
      const links = [
        ...references.matchAll(
          /\. <a href="(https:\/\/[^"]+)" lang="en">[^<]+<\/a>\. <cite lang="en">(?:arXiv:([\d.]+))?/g,
        ),
      ];
      expect(links).toHaveLength(items.length);
      expect(new Set(links.map(([, to]) => to)).size).toBe(items.length);
      for (const [, to, named] of links) if (named) expect(to).toBe(`https://arxiv.org/abs/${named}`);
    });

    test('credits its source and names its licence', () => {
      expect(html).toContain('https://d2l.ai/');
      expect(html).toContain('https://creativecommons.org/licenses/by-sa/4.0/');
    });
  },
);

test.each([
  ['en', 'learned table'],
  ['id', 'tabel yang dipelajari'],
  ['ko', '학습형 표'],
  ['pt', 'tabela aprendida'],
  ['tr', 'öğrenilen tablo'],
])('in %s, the learned table is excepted from encodings that go beyond the lengths of training', (language, table) => {
  const [said = ''] = /id="longer-sequences"[\s\S]*?<figure/.exec(htmlOf.get(`${language} further`)!) ?? [];
  expect(said.toLowerCase()).toContain(table);
});

test('the section lists the targets that are on the page that goes further, and no others', () => {
  for (const language of LANGUAGES) {
    const [section, further] = FILES.map((file) => htmlOf.get(`${language} ${file}`)!) as [string, string];
    const moved = new Set(/data-moved="([^"]+)"/.exec(section)![1]!.split(' '));
    const here = idsIn(section);
    const targets = [...idsIn(/<main[^]*<\/main>/.exec(further)![0])].filter(
      (id) => !here.has(id) && !/-(number|question)$/.test(id),
    );
    expect([...moved].sort()).toEqual(targets.sort());
    for (const id of ['fig-dropout', 'fig-training', 'dropout', 'eq-rotary']) expect(moved).toContain(id);
  }
});

test('vectors are bold and number sets double-struck characters', async () => {
  const { body } = await renderProse(withFront('$\\mathbf{x} \\in \\mathbb{R}^{n}$'));
  expect(body).toContain('<mi>𝐱</mi>');
  expect(body).toContain('<mi>ℝ</mi>');
});

test.each([
  ['A', 'bold', '𝐀'],
  ['z', 'bold', '𝐳'],
  ['7', 'bold', '𝟕'],
  ['Z', 'double-struck', 'ℤ'],
  ['A', 'double-struck', '𝔸'],
  ['δ', 'bold', 'δ'],
  ['h', 'italic', 'ℎ'],
  ['ω', 'italic', '𝜔'],
])('%s in %s is %s', (letter, variant, character) => {
  expect(inAlphabet(letter, variant)).toBe(character);
});

test('punctuation after a formula cannot start a line', async () => {
  const { body } = await renderProse(withFront('for every $i$. And (of $j$), too'));
  expect(body).toMatch(/<\/math>\.<\/span> And/);
  expect(body).toMatch(/<\/math>\),<\/span> too/);
});

test.each([
  ['\\sin a \\sin b + \\cos a', 'sin|a|sin|b+cos|a'],
  ['\\cos(a) \\sin\\left(b\\right)', 'cos(a)|sin(b)'],
  ['\\left(a\\right) \\sin b', '(a)|sin|b'],
  ['(\\sin a)', '(sin|a)'],
  ['\\sum_{j=0}^{n} \\cos a', '∑j=0ncos|a'],
  ['n \\log_2 m', 'n|log2|m'],
  ['-\\exp(x)', '−exp(x)'],
])('a function’s name keeps its distance: %s', async (tex, expected) => {
  const { body } = await renderProse(withFront(`$${tex}$`));
  expect(body.replace(/<mspace [^>]*>/g, '|').replace(/<[^>]*>|\u2061/g, '')).toBe(expected);
});

test('a bracket, or a word with a no-break space, stays with the formula after it', async () => {
  const { body } = await renderProse(withFront('the row&nbsp;$i$, and (for $j$) ($k$)'));
  expect(body).toMatch(/the <span class="katex">row\u00a0<math/);
  expect(body).toMatch(/and \(for <span class="katex"><math/);
  expect(body).toMatch(/ <span class="katex">\(<math/);
});

test('a Korean particle stays with its formula', async () => {
  const { body } = await renderProse(withFront('행렬 $P$에서는, $n$개의 위치'));
  expect(body).toMatch(/<\/math>에서는,<\/span> <span/);
  expect(body).toMatch(/<\/math>개의<\/span> 위치/);
});

test.each([
  ['셀프 어텐션(self-attention)이라고', '셀프 어텐션|(self-attention)|이라고'],
  ['*윈도*(window)는', '<em>윈도</em>|(window)|는'],
  ['[Shaw 외(2018)](#a)는 “토큰”을', '<a href="#a">Shaw 외|(2018)</a>|는 “토큰”|을'],
  ['한 배치 (크기) 안', '한 배치 (크기) 안'],
  ['함수`f(x)`의', '함수<code>f(x)</code>의'],
])('a bracket does not break a Korean word: %s', async (markdown, expected) => {
  const { body } = await renderProse(withFront(markdown));
  expect(body.replaceAll('\u2060', '|')).toBe(`<p>${expected}</p>`);
});

test.each([
  ['prose: expected front matter', 'No front matter'],
  ['prose: expected a line "description: …"', '---\ntitle: T\n---\n'],
  ['prose: expected {#anchor}', withFront('## A heading without one')],
  ['math: expected a known mathvariant', withFront('$\\mathfrak{A}$')],
  ['prose: expected a fence "python pytorch"', withFront('```js cell\n1;\n```\n\nWords\n')],
  ['prose: expected a fence "js cell"', withFront('```python pytorch\n1\n```\n')],
  ['KaTeX', withFront('$\\frac{1}$')],
])('a mistake in the prose stops the build: %s', async (message, markdown) => {
  await expect(renderProse(markdown)).rejects.toThrow(message);
});

test('the first cell of each row of a table is its header', async () => {
  const { body } = await renderProse(withFront('| Name | Steps |\n| :--- | ----: |\n| RNN | $n$ |\n| CNN | 1 |\n'));
  expect(body.match(/<t[hd][ >][^<]*/g)).toEqual([
    '<th align="left">Name',
    '<th align="right">Steps',
    '<th align="left" scope="row">RNN',
    '<td align="right">',
    '<th align="left" scope="row">CNN',
    '<td align="right">1',
  ]);
});

test('a caption begins with its question', async () => {
  const figure = '<figure id="fig-a">\n<figcaption>\n\nNo question.\n\n</figcaption>\n</figure>\n';
  await expect(renderProse(withFront(figure), textsOf('en').page)).rejects.toThrow('none at fig-a');
});

test('a Turkish compound with a short first part is not broken at its hyphen', async () => {
  const { body, contents } = await renderProse(
    withFront('## Öz-dikkat {#a}\n\nçok başlıklı öz-dikkatin `öz-dikkat` ile self-attention'),
  );
  expect(contents[0]?.html).toBe('Öz-\u2060dikkat');
  expect(body).toContain('<p>çok başlıklı öz-\u2060dikkatin <code>öz-dikkat</code> ile self-attention</p>');
});

test('a line’s indentation is beside its code, so that wrapped lines are indented further', async () => {
  const { body } = await renderProse(withFront('```js\nf(\n  x);\n```\n'));
  const line = (spaces: string, code: string): string =>
    `<span class="line"><span>${spaces}</span><span>${code}\n</span></span>`;
  expect(body).toContain(`${line('', 'f(')}${line('  ', 'x);')}`);
});

test('a code cell is two listings in one element, at any depth', async () => {
  const cell = '```js cell\nshow(1 < 2);\n```\n\n```python pytorch\nprint(1 < 2)\n```\n';
  const inAnswer = `1. Ask\n\n   <details><summary>A</summary>\n\n${cell.replace(/^(?=.)/gm, '   ')}\n   </details>\n`;
  const one = '<span class="tok-number">1</span>';
  const two = '<span class="tok-number">2</span>';
  const line = (code: string): string => `<span class="line"><span></span><span>${code}\n</span></span>`;
  for (const markdown of [cell, inAnswer]) {
    expect((await renderProse(withFront(markdown))).body).toContain(
      `<code-cell><pre><code class="language-js">${line(`show(${one} &#x3C; ${two});`)}</code></pre>` +
        `<pre><code class="language-python">${line(`print(${one} &#x3C; ${two})`)}</code></pre></code-cell>`,
    );
  }
});

test('highlighting does not change a listing’s text', () => {
  const entities: Readonly<Record<string, string>> = { '&#x3C;': '<', '&#x26;': '&' };
  const html = FILES.map((file) => htmlOf.get(`en ${file}`)!).join('');
  const listings = [...html.matchAll(/<code class="language-(?:js|python)">([\s\S]*?)<\/code>/g)].map(([, html = '']) =>
    html.replace(/<[^>]*>/g, '').replace(/&#x\w+;/g, (entity) => entities[entity] ?? entity),
  );
  const cells = cellsOf(readProse('en')).flatMap(({ javascript, python }) => [javascript, python]);
  expect(listings).toEqual(cells);
});

test('a language page links to every other one, and the start page to all', async () => {
  for (const [name, html] of htmlOf) {
    const path = (language: string): string =>
      name.endsWith('further') ? `../../${language}/further/` : `../${language}/`;
    for (const language of LANGUAGES) expect(html).toContain(`hreflang="${language}" href="${path(language)}"`);
  }
  const start = await pageHtml(ROOT, join(ROOT, 'index.html'));
  for (const language of LANGUAGES) expect(start).toContain(`<a href="./${language}/" lang="${language}"`);
});
