import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { LANGUAGES } from '../../elements/languages.js';
import { licensesText, OTHERS } from '../../licenses.js';
import { escape } from './escape.js';
import { fontNotices } from './ownFonts.js';
import { pageIn } from './pages.js';
import { hashOf, securityPolicy } from './policy.js';
import type { PageContext } from './template.js';

/**
 * Vite plugin: turns the build into two self-contained files per language, `<language>.html` and
 * `<language>-further.html`, which need no server. Browsers load no scripts from other files on a disk, so script and
 * styles are inline, allowed by their hashes, and so is the icon.
 */
export function singleFiles(root: string): Plugin {
  return {
    name: 'wasm-attention-single-files',
    generateBundle: {
      // After Vite has made the style sheet.
      order: 'post',
      async handler(_options, bundle) {
        const files = Object.values(bundle);
        const [chunk, ...chunks] = files.filter((file) => file.type === 'chunk');
        const [styles, ...assets] = files.filter((file) => file.type === 'asset');
        if (chunk === undefined || styles === undefined || chunks.length + assets.length > 0) {
          const names = files.map(({ fileName }) => fileName).join(', ');
          this.error(`single: expected one script and one style sheet, got ${names}`);
        }
        for (const { fileName } of files) Reflect.deleteProperty(bundle, fileName);
        const script = inScript(chunk.code);
        const style = String(styles.source);
        const icon = readFileSync(resolve(root, 'public/icon.svg'), 'utf8');
        const all = escape(licensesText([...OTHERS, ...fontNotices()]));
        const context: Omit<PageContext, 'pageIn'> = {
          policy: securityPolicy({ cells: true, hashes: { script: hashOf(script), style: hashOf(style) } }),
          icon: `data:image/svg+xml,${encodeURIComponent(icon)}`,
          head: `<style>${style}</style><script type="module">${script}</script>`,
          licenses: (label) => `<details class="licenses"><summary>${label}</summary><pre>${all}</pre></details>`,
        };
        for (const language of LANGUAGES) {
          for (const isFurther of [false, true]) {
            const pageOf: PageContext['pageIn'] = (other) => `./${other}${isFurther ? '-further' : ''}.html`;
            const html = await pageIn(root, language, { isFurther, context: { ...context, pageIn: pageOf } });
            const source = html
              .replaceAll('href="further/', `href="./${language}-further.html`)
              .replaceAll('href="../', `href="./${language}.html`);
            this.emitFile({ type: 'asset', fileName: pageOf(language).slice(2), source });
          }
        }
      },
    },
  };
}

/** Escapes a script for HTML, where it must not contain an end tag or a comment. */
function inScript(code: string): string {
  return code.replace(/<(?=\/script)/gi, '<\\').replace(/<!--/g, '<\\!--');
}
