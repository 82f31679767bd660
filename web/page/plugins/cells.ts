import type { Code, Nodes, Parent } from 'mdast';

declare module 'mdast' {
  interface CodeCell extends Parent {
    type: 'codeCell';
    children: [javascript: Code, python: Code];
  }
  interface RootContentMap {
    codeCell: CodeCell;
  }
}

/**
 * Joins each fence ```` ```js cell ```` and the ```` ```python pytorch ```` after it to
 * `<code-cell><pre>…</pre><pre>…</pre></code-cell>`. Without scripts these are two listings. Throws an `Error` if
 * either is missing.
 */
export function joinCells({ children }: Parent): void {
  for (const [index, node] of children.entries()) {
    const next = children[index + 1];
    if ('children' in node) joinCells(node);
    if (isFence(node, 'python', 'pytorch')) throw alone('js cell', 'before', node);
    if (!isFence(node, 'js', 'cell')) continue;
    if (!isFence(next, 'python', 'pytorch')) throw alone('python pytorch', 'after', node);
    children.splice(index, 2, {
      type: 'codeCell',
      children: [node, next],
      data: { hName: 'code-cell' },
    });
  }
}

function isFence(node: Nodes | undefined, language: string, meta: string): node is Code {
  return node?.type === 'code' && node.lang === language && node.meta === meta;
}

function alone(expected: string, where: string, got: Code): Error {
  return new Error(`prose: expected a fence "${expected}" right ${where} this one, got none: ${got.value}`);
}
