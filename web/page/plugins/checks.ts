import type { Element, ElementContent, Root } from 'hast';
import { visit } from './visit.js';

/** The words around the questions that readers answer; part of the page's strings. */
export interface CheckWords {
  readonly checkPredict: string;
  readonly checkYourself: string;
  readonly checkAnswer: string;
  readonly checkButton: string;
  readonly checkRight: string;
  readonly checkWrong: string;
  readonly checkAgain: string;
  readonly checkReveal: string;
  readonly checkNoNumber: string;
  readonly checkShown: string;
}

/**
 * Turns each `<reader-check>` into a form, for which web/page/checks.ts has the script. Its first paragraph asks, and what follows the
 * answers explains. With `show`, settings of a figure as in an address, it is a prediction, and the figure takes these settings once
 * the reader has found the answer or asks for it. The answers are a task list, in which the right ones are ticked, or a `number`, which may be off by `within`.
 * Throws an `Error` where one of these parts is missing.
 */
export function readerChecks(words?: CheckWords) {
  return (tree: Root): void =>
    visit(tree, (node) => {
      if (node.tagName !== 'reader-check') return;
      if (words === undefined) throw new Error('prose: expected the words of checks, got none');
      build(node, words);
    });
}

function build(node: Element, words: CheckWords): void {
  const { show, number, within = '0' } = node.properties;
  const [question, ...rest] = node.children.filter((child) => child.type === 'element');
  const list = rest[0]?.tagName === 'ul' ? rest.shift() : undefined;
  if (question?.tagName !== 'p' || (list === undefined) === (number === undefined) || rest.length === 0)
    throw new Error('prose: expected a question, a list or a number, and an explanation in <reader-check>');
  const kind = element('span', { className: ['kind'] }, [
    text(show === undefined ? words.checkYourself : words.checkPredict),
  ]);
  node.tagName = 'form';
  node.properties = {
    className: ['check'],
    autoComplete: ['off'],
    noValidate: true,
    dataShow: show,
    dataNumber: number,
    dataWithin: number === undefined ? undefined : within,
  };
  node.children = [
    element('fieldset', {}, [
      element('legend', {}, [kind, text(' '), ...question.children]),
      element('div', { className: ['answers'] }, list === undefined ? field(words) : choices(list)),
    ]),
    element('div', {
      role: 'status',
      dataRight: words.checkRight,
      dataWrong: words.checkWrong,
      dataAgain: words.checkAgain,
      dataReveal: words.checkReveal,
      dataNoNumber: words.checkNoNumber,
      dataShown: words.checkShown,
    }),
    element('div', { hidden: true }, rest),
  ];
}

function choices(list: Element): Element[] {
  const items = list.children.filter((child) => child.type === 'element');
  const buttons = items.map((item) => {
    const [box, ...answer] = item.children;
    if (box?.type !== 'element' || box.tagName !== 'input')
      throw new Error('prose: expected "- [ ]" or "- [x]" before each answer of <reader-check>');
    const right = box.properties.checked === true ? '' : undefined;
    return element('button', { type: 'button', ariaPressed: 'false', dataRight: right }, answer);
  });
  if (!buttons.some(({ properties }) => properties.dataRight === ''))
    throw new Error('prose: expected a right answer "- [x]" in <reader-check>');
  return buttons;
}

function field(words: CheckWords): Element[] {
  const input = element('input', { type: 'text', inputMode: 'decimal', maxLength: 30 });
  return [
    element('label', {}, [text(words.checkAnswer), text(' '), input]),
    element('button', { type: 'submit' }, [text(words.checkButton)]),
  ];
}

function element(
  tagName: string,
  properties: Element['properties'],
  children: ElementContent[] = [],
): Element {
  return { type: 'element', tagName, properties, children };
}

function text(value: string): ElementContent {
  return { type: 'text', value };
}
