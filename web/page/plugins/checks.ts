import type { Element, ElementContent, Root } from 'hast';
import { element, elementsOf, text, textOf, visit } from './hast.js';
import type { PageStrings } from './pageStrings.js';

/**
 * Turns each `<reader-check>` into buttons, or into a form for a number; web/page/checks.ts has the script. The first
 * paragraph is the question, and the text after the answers is the explanation. With `show`, settings of a figure as in
 * a URL, the question is a prediction: the figure takes these settings once the reader has answered. The answers are a
 * `number`, with a tolerance `within`, or a task list, in which the right ones are ticked and each wrong one has a
 * nested list of one item: what is wrong about it. A `number` may have a list of likely wrong numbers, each with such a
 * nested list. Throws an `Error` if a part is missing.
 */
export function readerChecks(words?: PageStrings) {
  return (tree: Root): void =>
    visit(tree, (node) => {
      if (node.tagName !== 'reader-check') return;
      if (words === undefined) throw new Error('prose: expected the words of checks, got none');
      build(node, words);
    });
}

function build(node: Element, words: PageStrings): void {
  const { show, number, within = '0' } = node.properties;
  const [question, ...rest] = elementsOf(node);
  const list = rest[0]?.tagName === 'ul' ? rest.shift() : undefined;
  if (question?.tagName !== 'p' || (list ?? number) === undefined || rest.length === 0)
    throw new Error('prose: expected a question, a list or a number, and an explanation in <reader-check>');
  // It names a group, and names have no formulas.
  visit(question, ({ properties: { className } }) => {
    if (String(className).includes('language-math'))
      throw new Error(`prose: expected a question in words in <reader-check>, got a formula: ${textOf(question)}`);
  });
  const kind = element('span', { className: ['kind'] }, [
    text(show === undefined ? words.checkYourself : words.checkPredict),
  ]);
  // Not a form: Chromium searches every form for fields to autofill, and for that lays out the part of the text around
  // it.
  node.tagName = number === undefined ? 'div' : 'form';
  const filled = { autoComplete: ['off'], noValidate: true, dataNumber: number, dataWithin: within };
  node.properties = { className: ['check'], dataShow: show, ...(number !== undefined && filled) };
  node.children = [
    element('fieldset', {}, [
      element('legend', {}, [kind, text(' '), ...question.children]),
      element(
        'div',
        { className: ['answers'] },
        number === undefined ? choices(list!) : [...field(words), ...slips(list)],
      ),
    ]),
    element('div', {
      role: 'status',
      dataRight: words.checkRight,
      dataWrong: words.checkWrong,
      dataReveal: words.checkReveal,
      dataAnswer: words.checkRightAnswer,
      dataNoNumber: words.checkNoNumber,
      dataShown: words.checkShown,
      dataForget: words.checkForget,
    }),
    element('div', { className: ['actions'] }),
    element('div', { hidden: true }, rest),
  ];
}

/** A button for each answer, and after a wrong one, hidden, what is wrong about it. */
function choices(list: Element): Element[] {
  const answers = elementsOf(list).map(choice);
  if (!answers.some(([button]) => button.properties.dataRight === ''))
    throw new Error('prose: expected a right answer "- [x]" in <reader-check>');
  return answers.flat();
}

function choice(item: Element): [button: Element, ...faults: Element[]] {
  const [box, ...rest] = item.children;
  if (box?.type !== 'element' || box.tagName !== 'input')
    throw new Error('prose: expected "- [ ]" or "- [x]" before each answer of <reader-check>');
  const right = box.properties.checked === true;
  const isList = (child: ElementContent): child is Element => child.type === 'element' && child.tagName === 'ul';
  const faults = rest.filter(isList).flatMap(elementsOf);
  if (faults.length !== (right ? 0 : 1))
    throw new Error('prose: expected one reason below each wrong answer of <reader-check>, and none below a right one');
  const answer = rest
    .filter((child) => !isList(child))
    .map((child) => (child.type === 'text' ? text(child.value.replace(/\n$/, '')) : child));
  const button = { type: 'button', ariaPressed: 'false', dataRight: right ? '' : undefined };
  return [element('button', button, answer), ...faults.map(({ children }) => element('p', { hidden: true }, children))];
}

/** Likely wrong numbers and what is wrong about them, both hidden. */
function slips(list: Element | undefined): Element[] {
  return (list === undefined ? [] : elementsOf(list)).map((item) => {
    const [wrong] = item.children;
    const number = wrong?.type === 'text' ? Number(wrong.value.trim() || NaN) : NaN;
    const [reason] = elementsOf(item).flatMap(elementsOf);
    if (Number.isNaN(number) || reason === undefined)
      throw new Error('prose: expected a number and what is wrong about it in the list of <reader-check>');
    return element('p', { hidden: true, dataSlip: number }, reason.children);
  });
}

function field(words: PageStrings): Element[] {
  const input = element('input', { type: 'text', inputMode: 'decimal', maxLength: 30 });
  return [
    element('label', {}, [text(words.checkAnswer), text(' '), input]),
    element('button', { type: 'submit' }, [text(words.checkButton)]),
  ];
}
