import type { Element, Root } from 'hast';

/** Calls `action` for every element of the tree, parents first. */
export function visit(tree: Root | Element, action: (node: Element) => void): void {
  for (const child of tree.children) {
    if (child.type !== 'element') continue;
    action(child);
    visit(child, action);
  }
}
