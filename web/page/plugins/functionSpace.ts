import type { ElementContent } from 'hast';
import { element, textOf } from './hast.js';
import { SCRIPTED } from './operatorSpace.js';

/** The invisible operator that KaTeX puts after a function's name. */
const APPLY = '\u2061';

/** Adds a thin space on either side of each function's name in a row of MathML, where TeX would: sin a sin b. */
export function spaceFunctions(row: ElementContent[]): ElementContent[] {
  return row.flatMap((node, index) => {
    const previous = row[index - 1];
    const apart = previous !== undefined && areApart(previous, node, row[index + 1]);
    return apart ? [element('mspace', { width: '0.1667em' }), node] : [node];
  });
}

/** No space before an opening bracket; operators have their own spaces. */
function areApart(left: ElementContent, right: ElementContent, next: ElementContent | undefined): boolean {
  const argument = endsName(left) && !isOperator(right) && !textOf(right).startsWith('(');
  const name = isIndexedName(right) || (next !== undefined && !isIndexedName(next) && endsName(next));
  return argument || (name && (!isOperator(left) || /[)\]]$/.test(textOf(left))));
}

function endsName(node: ElementContent): boolean {
  return textOf(node) === APPLY || isIndexedName(node);
}

/** In log₂ the operator is inside, below the index. */
function isIndexedName(node: ElementContent): boolean {
  if (node.type !== 'element' || !SCRIPTED.test(node.tagName)) return false;
  return node.children.slice(0, 1).some((base) => textOf(base).endsWith(APPLY));
}

/** A sum with limits is an operator, too. */
function isOperator(node: ElementContent): boolean {
  if (node.type !== 'element') return false;
  if (SCRIPTED.test(node.tagName)) return node.children.slice(0, 1).some(isOperator);
  return node.tagName === 'mo';
}
