import type { Code, Nodes, Parent, RootContent } from 'mdast';

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
 * Joins each fence ```` ```js cell ```` and the ```` ```python pytorch ```` that follows it to
 * `<code-cell><pre>…</pre><pre>…</pre></code-cell>`. Without scripts that is two listings; with them, one to run and one to read.
 * Throws an `Error` where either of the two stands alone.
 */
export function joinCells(parent: Parent): void {
  const joined: RootContent[] = [];
  for (const node of parent.children) {
    if ('children' in node) joinCells(node);
    if (!isFence(node, 'python', 'pytorch')) {
      checkPaired(joined.at(-1));
      joined.push(node);
      continue;
    }
    const javascript = joined.pop();
    if (!isFence(javascript, 'js', 'cell')) throw alone('js cell', 'in front of', node);
    const cell: RootContent = {
      type: 'codeCell',
      children: [javascript, node],
      data: { hName: 'code-cell' },
    };
    joined.push(cell);
  }
  checkPaired(joined.at(-1));
  parent.children = joined;
}

function checkPaired(last: RootContent | undefined): void {
  if (isFence(last, 'js', 'cell')) throw alone('python pytorch', 'behind', last);
}

function isFence(node: Nodes | undefined, language: string, meta: string): node is Code {
  return node?.type === 'code' && node.lang === language && node.meta === meta;
}

function alone(expected: string, where: string, got: Code): Error {
  return new Error(`prose: expected a fence "${expected}" right ${where} this one, got none: ${got.value}`);
}
