import type { PageStrings } from '../plugins/pageStrings.js';
import { alternates, head, languageMenu, type MenuEntry } from '../plugins/template.js';

/** The texts of the page before its script runs. */
export interface ModelStrings {
  readonly 'models.title': string;
  readonly 'models.lede': string;
}

/** The page at `/<language>/models/`, where readers open their own checkpoints. */
export function modelsPage(
  language: string,
  strings: ModelStrings,
  menu: readonly MenuEntry[],
  words: PageStrings,
): string {
  const pageIn = (other: string): string => `../../${other}/models/`;
  return `<!doctype html>
<html lang="${language}">
  <head>
    ${head(strings['models.title'], strings['models.lede'])}
    ${alternates(menu, pageIn)}
    <link rel="stylesheet" href="/style/page.css" />
    <link rel="stylesheet" href="/models/models.css" />
    <script type="module" src="/models/main.ts"></script>
  </head>
  <body>
    <header>
      <div class="bar">
        <a class="home" href="../">${words.section}</a>
        ${languageMenu(language, words, menu, pageIn)}
      </div>
      <h1>${strings['models.title']}</h1>
      <p class="lede">${strings['models.lede']}</p>
      <noscript><p class="notice">${words.scriptsOff}</p></noscript>
    </header>
    <main id="text" tabindex="-1">
      <model-explorer></model-explorer>
      <footer><p><a href="../proof/">${words.proof}</a></p><a href="../../licenses.txt">${words.licenses}</a></footer>
    </main>
  </body>
</html>
`;
}
