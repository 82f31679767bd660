import type { Element } from 'hast';
import { textOf, visit } from './hast.js';

/** Elements with a base and its indices or limits. */
export const SCRIPTED = /^m(sub|sup|subsup|under|over|underover)$/;

/**
 * Spaces the operators in `node` as TeX does: browsers space an ellipsis like an equals sign, and operators in indices
 * as on the line.
 */
export function spaceOperators(node: Element): void {
  if (node.tagName === 'mo' && textOf(node) === '…') close(node);
  if (!SCRIPTED.test(node.tagName)) return;
  visit({ ...node, children: node.children.slice(1) }, (inside) => {
    if (inside.tagName === 'mo' && !/[()\u2061]/.test(textOf(inside))) close(inside);
  });
}

function close(operator: Element): void {
  Object.assign(operator.properties, { lspace: '0em', rspace: '0em' });
}
