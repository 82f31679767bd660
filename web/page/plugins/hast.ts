import type { Element, ElementContent, Root } from 'hast';

/** Calls `action` for every element of the tree, in document order. */
export function visit(tree: Root | Element, action: (node: Element) => void): void {
  for (const child of tree.children) {
    if (child.type !== 'element') continue;
    action(child);
    visit(child, action);
  }
}

export function element(tagName: string, properties: Element['properties'], children: ElementContent[] = []): Element {
  return { type: 'element', tagName, properties, children };
}

export function text(value: string): ElementContent {
  return { type: 'text', value };
}

export function elementsOf({ children }: Element): Element[] {
  return children.filter((child) => child.type === 'element');
}

/** A node's text content. */
export function textOf(node: ElementContent): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}
