import { describe, expect, test } from '@jest/globals';
import { renderProse } from '../../web/page/plugins/prose.js';
import { textsOf } from '../support/proseFiles.js';

describe('a question in the prose', () => {
  const rendered = async (body: string, words = textsOf('en').page): Promise<string> =>
    (await renderProse(`---\ntitle: T\ndescription: D\n---\n${body}`, words)).body;
  const choice = '<reader-check>\n\nWhich?\n\n- [ ] one\n  - Too *few*.\n- [x] *two*\n\nBecause.\n\n</reader-check>\n';

  test('becomes a group of buttons, an element for the verdict, and a hidden explanation', async () => {
    const html = await rendered(choice);
    expect(html).toContain('<legend><span class="kind">Check yourself:</span> Which?</legend>');
    const wrong = '<button type="button" aria-pressed="false"> one</button><p hidden>Too <em>few</em>.</p>';
    expect(html).toContain(wrong);
    expect(html).toContain('<button type="button" aria-pressed="false" data-right=""> <em>two</em></button>');
    expect(html).toMatch(
      /<div role="status" [^>]*><\/div><div class="actions"><\/div><div hidden><p>Because.<\/p><\/div><\/div>/,
    );
    // Chromium lays out all parts of the text that contain a form.
    expect(html).not.toContain('<form');
  });

  test('for a number becomes a field with a label', async () => {
    const html = await rendered(choice.replace('>', ' number="3">').replace(/ *- .*\n/g, ''));
    expect(html).toMatch(/<form class="check" [^>]*data-number="3" data-within="0">/);
    expect(html).toMatch(/<label>Your answer <input type="text" inputmode="decimal" [^>]*><\/label>/);
  });

  const slip = '<reader-check number="3">\n\nHow many?\n\n- 4\n  - Too many.\n\nBecause.\n\n</reader-check>\n';

  test('for a number may say what is wrong about likely answers', async () => {
    expect(await rendered(slip)).toContain('<p hidden data-slip="4">Too many.</p>');
  });

  test.each([
    ['got a formula', choice.replace('Which?', 'Where in $\\mathbf{A}$?')],
    ['expected a question, a list or a number', choice.replace('Because.', '')],
    ['expected a question, a list or a number', choice.replace(/ *- .*\n/g, '')],
    ['expected a number and what is wrong', choice.replace('>', ' number="3">')],
    ['expected a number and what is wrong', slip.replace('  - Too many.\n', '')],
    ['expected "- [ ]"', choice.replace('[ ] ', '')],
    ['expected a right answer', choice.replace('[x] *two*', '[ ] two\n  - Too many.')],
    ['expected one reason', choice.replace('  - Too *few*.\n', '')],
    ['expected one reason', choice.replace('*two*', 'two\n  - It is not.')],
  ])('stops the build if it is incomplete: %s', async (message, body) => {
    await expect(rendered(body)).rejects.toThrow(message);
  });

  test('needs the words of its language', async () => {
    await expect(renderProse(`---\ntitle: T\ndescription: D\n---\n${choice}`)).rejects.toThrow('words of checks');
  });
});
