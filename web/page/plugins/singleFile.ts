import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { pageHtml, published } from './pages.js';
import { CONTENT_SECURITY_POLICY } from './template.js';

const ENTRY = 'virtual:wasm-attention/single';

/** The input of a build with `singleFiles`. */
export const SINGLE_INPUT = { page: ENTRY };

/**
 * Vite plugin: turns the build into `<language>.html` for each published language, files that need no other and no server. Scripts from
 * other files do not load from a disk, so script and styles stand in the page, allowed by their hashes; so does the icon.
 */
export function singleFiles(root: string): Plugin {
  return {
    name: 'wasm-attention-single-files',
    enforce: 'pre',
    resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : null),
    load: (id) =>
      id === `\0${ENTRY}`
        ? ['style/page.css', 'main.ts']
            .map((file) => `import ${JSON.stringify(resolve(root, file))};`)
            .join('')
        : null,
    generateBundle: {
      // After Vite has made the style sheet.
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const [chunk, ...chunks] = files.filter((file) => file.type === 'chunk');
        const [styles, ...assets] = files.filter((file) => file.type === 'asset');
        if (chunk === undefined || styles === undefined || chunks.length + assets.length > 0) {
          const names = files.map(({ fileName }) => fileName).join(', ');
          this.error(`single: expected one script and one style sheet, got ${names}`);
        }
        for (const { fileName } of files) Reflect.deleteProperty(bundle, fileName);
        const parts = {
          script: inScript(chunk.code),
          styles: String(styles.source),
          icon: readFileSync(resolve(root, 'public/icon.svg'), 'utf8'),
        };
        for (const language of published(root)) {
          const html = pageHtml(root, resolve(root, language, 'index.html'));
          this.emitFile({ type: 'asset', fileName: `${language}.html`, source: whole(html, parts) });
        }
      },
    },
  };
}

/** Puts the parts into the page, and makes its links lead to the other files. */
function whole(html: string, parts: { script: string; styles: string; icon: string }): string {
  const { script, styles, icon } = parts;
  const policy = CONTENT_SECURITY_POLICY.replace(/script-src 'self'/, `script-src ${hashOf(script)}`)
    .replace(/style-src 'self'/, `style-src ${hashOf(styles)}`)
    .replace(/worker-src 'self' blob:/, 'worker-src blob:')
    .replace(/img-src 'self' data:/, 'img-src data:')
    .replace(/connect-src 'self'; /, '');
  let page = html;
  const put = (pattern: RegExp | string, text: string): void => {
    const changed = page.replaceAll(pattern, () => text);
    if (changed === page) throw new Error(`single: expected ${String(pattern)} in the page, found none`);
    page = changed;
  };
  put(CONTENT_SECURITY_POLICY, policy);
  put('<link rel="stylesheet" href="/style/page.css" />', `<style>${styles}</style>`);
  put('<script type="module" src="/main.ts"></script>', '');
  put('href="/icon.svg"', `href="data:image/svg+xml,${encodeURIComponent(icon)}"`);
  put(/<link vite-ignore rel="alternate" hreflang="x-default"[^>]*>/g, '');
  put('<link vite-ignore ', '<link ');
  put('</body>', `<script type="module">${script}</script>\n  </body>`);
  return page.replace(/(<(?:a|link)\b[^>]* href=")\.\.\/([a-z]{2})\/"/g, '$1./$2.html"');
}

/** The script as it can stand in HTML, where it must not seem to end, nor to be a comment. */
function inScript(code: string): string {
  return code.replace(/<(?=\/script)/gi, '<\\').replace(/<!--/g, '<\\!--');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
