/** The fenced blocks of a Markdown text, and the programs that they form. */

export interface Fence {
  readonly language: string;
  readonly code: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
}

/** All fenced blocks; throws if one is not closed. */
export function fences(markdown: string): Fence[] {
  const found: Fence[] = [];
  let open: { mark: string; language: string; line: number; code: string[] } | undefined;
  markdown.split('\n').forEach((text, i) => {
    const mark = /^(`{3,}|~{3,})(.*)$/.exec(text);
    if (open === undefined) {
      if (mark) open = { mark: mark[1]!, language: mark[2]!.trim(), line: i + 1, code: [] };
    } else if (mark?.[2] === '' && mark[1]!.startsWith(open.mark)) {
      found.push({ language: open.language, code: `${open.code.join('\n')}\n`, line: open.line });
      open = undefined;
    } else {
      open.code.push(text);
    }
  });
  if (open !== undefined) throw new Error(`line ${open.line}: expected the fence to be closed`);
  return found;
}

/** The JavaScript blocks as programs: a block that begins with an import starts a program, any other continues the one before it. */
export function programs(markdown: string): { line: number; code: string }[] {
  const found: { line: number; blocks: string[] }[] = [];
  for (const { language, code, line } of fences(markdown)) {
    if (language !== 'js') continue;
    if (code.startsWith('import ')) found.push({ line, blocks: [code] });
    else if (found.length > 0) found.at(-1)!.blocks.push(code);
    else throw new Error(`line ${line}: expected an import in the first program`);
  }
  return found.map(({ line, blocks }) => ({ line, code: blocks.join('\n') }));
}

/** For each console.log the output that its comment promises. */
export function promised(code: string): string[] {
  return Array.from(
    code.matchAll(/console\.log\(.*\);(?: \/\/ (.*))?$/gm),
    ([all, text]) => text ?? `no promise: ${all}`,
  );
}
