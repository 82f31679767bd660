import { filled, Numbers } from '../../elements/drawing.js';
import { escape } from '../plugins/escape.js';
import type { PageStrings } from '../plugins/pageStrings.js';
import { alternates, head, languageMenu, type MenuEntry } from '../plugins/template.js';
import agreement from './agreement.json' with { type: 'json' };
import type { ProofStrings } from './words.js';

/** The page at `/<language>/proof/`: what the library agrees with, and a benchmark that readers start. */
export function proofPage(
  language: string,
  strings: ProofStrings,
  menu: readonly MenuEntry[],
  words: PageStrings,
): string {
  const pageIn = (other: string): string => `../../${other}/proof/`;
  const groups = ['op', 'layer', 'model'] as const;
  return `<!doctype html>
<html lang="${language}">
  <head>
    ${head(strings['proof.title'], strings['proof.lede'])}
    ${alternates(menu, pageIn)}
    <link rel="stylesheet" href="/style/page.css" />
    <link rel="stylesheet" href="/proof/proof.css" />
    <script type="module" src="/proof/main.ts"></script>
  </head>
  <body class="proof">
    <header>
      <div class="bar">
        <a class="home" href="../">${words.section}</a>
        ${languageMenu(language, words, menu, pageIn)}
      </div>
      <h1>${strings['proof.title']}</h1>
      <p class="lede">${strings['proof.lede']}</p>
      <noscript><p class="notice">${words.scriptsOff}</p></noscript>
    </header>
    <main id="text" tabindex="-1">
      <h2 id="speed">${strings['proof.speed']}</h2>
      <p>${strings['proof.about']}</p>
      <proof-benchmark></proof-benchmark>
      <h2 id="agreement">${strings['proof.agreement']}</h2>
      <p>${strings['proof.filled']}</p>
      <p>${strings['proof.unit']}</p>
      ${groups.map((group) => agreementTable(language, strings, group)).join('\n      ')}
      <footer><a href="../../licenses.txt">${words.licenses}</a></footer>
    </main>
  </body>
</html>
`;
}

/** What functions, layers or families of models agree with, and how closely: agreement.json, which the tests fill. */
export function agreementTable(language: string, strings: ProofStrings, group: 'op' | 'layer' | 'model'): string {
  const numbers = new Numbers(language);
  const rows = agreement.filter((row) => row.group === group);
  const cells = rows.map(({ name, reference, values, error }, i) => {
    const count = rows.filter((row) => row.name === name).length;
    const isFirst = rows[i - 1]?.name !== name;
    const heading = isFirst ? `<th scope="row" rowspan="${count}"><code>${breakable(name)}</code></th>` : '';
    return `<tr>${heading}<td>${breakable(referenceText(reference, strings))}</td><td>${numbers.number(values)}</td><td>${numbers.number(error)}</td></tr>`;
  });
  const columns = [group, 'agreesWith', 'compared', 'error'] as const;
  const heads = columns.map((key) => `<th scope="col">${strings[`proof.${key}`]}</th>`).join('');
  return `<div class="table"><table class="agreement"><thead><tr>${heads}</tr></thead><tbody>${cells.join('')}</tbody></table></div>`;
}

/** Lets a name break between its words. */
function breakable(name: string): string {
  return escape(name).replace(/(?<=[a-z]{2})(?=[A-Z_])|(?<=\.)(?=[A-Za-z])/g, '<wbr>');
}

function referenceText(reference: string, strings: ProofStrings): string {
  if (reference === 'float64') return strings['proof.loops'];
  const [, name] = /^models\/(.*)/.exec(reference) ?? [];
  if (name !== undefined) return filled(strings['proof.checkpoint'], { name });
  return reference.replace('torch 1.', 'PyTorch 1.');
}
