import { posix } from 'node:path';
import type { HtmlTagDescriptor, Plugin, Rollup } from 'vite';

/**
 * Vite plugin: puts the style sheet first in a page's head, and then the scripts of its first figure with the library
 * and the page's language, so that they are fetched while the text is parsed. Otherwise a phone finds them a second
 * later, after the page's own script has run. The scripts have a low priority, so that the text does not wait for them.
 */
export function firstFigure(): Plugin {
  return {
    name: 'wasm-attention-first-figure',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, path }) {
        const tag = /<figure[^>]* id=[^>]*>\s*<([a-z]+(?:-[a-z]+)+)/.exec(html)?.[1];
        const language = /<html lang="([a-z]+)"/.exec(html)?.[1];
        if (bundle === undefined || tag === undefined || language === undefined) return [];
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const needed = new Set<string>();
        const need = ({ fileName, imports }: Rollup.OutputChunk): void => {
          if (needed.has(fileName)) return;
          needed.add(fileName);
          for (const chunk of chunks) if (imports.includes(chunk.fileName)) need(chunk);
        };
        for (const module of [
          `/elements/${tag}/${tag}.ts`,
          `/elements/generated/strings/${language}.json`,
          '/lib/runtime/embedded.ts',
        ])
          for (const chunk of chunks) if (chunk.moduleIds.some((id) => id.endsWith(module))) need(chunk);
        return {
          html: styleFirst(html).replaceAll('<script type="module"', '<script type="module" fetchpriority="low"'),
          tags: [...needed].filter((file) => !html.includes(file)).map((file) => preload(path, file)),
        };
      },
    },
  };
}

function styleFirst(html: string): string {
  const [style = ''] = /<link rel="stylesheet".*?>\n/.exec(html) ?? [];
  return html.replace(style, '').replace('<link rel="icon"', `${style}    $&`);
}

function preload(page: string, file: string): HtmlTagDescriptor {
  const href = posix.relative(posix.dirname(page), `/${file}`);
  const attrs = { rel: 'modulepreload', fetchpriority: 'low', crossorigin: true, href };
  return { tag: 'link', attrs, injectTo: 'head' };
}
