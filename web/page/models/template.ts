import { head, type MenuEntry } from '../plugins/template.js';

/** The words of the page that are in it before its script runs. */
export interface ModelStrings {
  readonly 'models.title': string;
  readonly 'models.lede': string;
  readonly 'models.kicker': string;
}

/** The page at `/<language>/models/`, where readers open checkpoints of their own. */
export function modelsPage(
  language: string,
  strings: ModelStrings,
  menu: readonly MenuEntry[],
  words: { readonly scriptsOff: string; readonly languages: string },
): string {
  const link = ({ language: other, name }: MenuEntry): string =>
    `<li><a href="../../${other}/models/" lang="${other}" hreflang="${other}"${other === language ? ' aria-current="page"' : ''}>${name}</a></li>`;
  return `<!doctype html>
<html lang="${language}">
  <head>
    ${head(strings['models.title'], strings['models.lede'])}
    ${menu.map(({ language: other }) => `<link vite-ignore rel="alternate" hreflang="${other}" href="../../${other}/models/" />`).join('\n    ')}
    <link rel="stylesheet" href="/style/page.css" />
    <link rel="stylesheet" href="/models/models.css" />
    <script type="module" src="/models/main.ts"></script>
  </head>
  <body>
    <header>
      <p class="kicker"><a href="../">${strings['models.kicker']}</a></p>
      <h1>${strings['models.title']}</h1>
      <p class="lede">${strings['models.lede']}</p>
      <noscript><p class="notice">${words.scriptsOff}</p></noscript>
      <nav class="languages" aria-label="${words.languages}"><ul>${menu.map(link).join('')}</ul></nav>
    </header>
    <main id="text" tabindex="-1">
      <model-explorer></model-explorer>
    </main>
  </body>
</html>
`;
}
