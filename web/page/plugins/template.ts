import { STILL } from '../../elements/language-model/samples.js';
import { escape } from './escape.js';
import type { PageStrings } from './pageStrings.js';
import { securityPolicy } from './policy.js';
import type { Prose } from './prose.js';

/** A language in the menu. */
export interface MenuEntry {
  readonly language: string;
  readonly name: string;
}

/** The URLs that a page needs, including those of the other languages. */
export interface PageContext {
  readonly policy: string;
  /** The icon's URL. */
  readonly icon: string;
  /** The tags for style sheet and script, and the links to other languages for search engines. */
  readonly head: string;
  readonly pageIn: PageIn;
  /** The element, with this label, that shows the licences of bundled software. */
  readonly licenses: (label: string) => string;
  /** The section's folder, if it has a page for readers' own models at models/, and one at proof/. */
  readonly home?: string;
}

/** The URL of the page in a language, relative to the linking page. */
export type PageIn = (language: string) => string;

const ICON = '/icon.svg';

/** Vite replaces these by the URLs of built files, except those marked to be left alone. */
function onServer(menu: readonly MenuEntry[], isFurther: boolean): PageContext {
  const pageIn: PageIn = (language) => (isFurther ? `../../${language}/further/` : `../${language}/`);
  const first = isFurther ? '' : '\n    <link vite-ignore rel="alternate" hreflang="x-default" href="../" />';
  return {
    policy: securityPolicy({ cells: true }),
    icon: ICON,
    head: `${alternates(menu, pageIn)}${first}
    <link rel="stylesheet" href="/style/page.css" />
    <script type="module" src="/main.ts"></script>`,
    pageIn,
    licenses: (label) => `<a href="${isFurther ? '../' : ''}../licenses.txt">${label}</a>`,
    home: isFurther ? '../' : '',
  };
}

/** The section in a language, which has `moved`; without it, the page that goes further. */
export function languagePage(page: {
  language: string;
  prose: Prose;
  strings: PageStrings;
  menu: readonly MenuEntry[];
  /** The targets of links that are on the page that goes further. */
  moved?: readonly string[] | undefined;
  context?: PageContext | undefined;
}): string {
  const { language, prose, strings, menu, moved } = page;
  const { context = onServer(menu, moved === undefined) } = page;
  return `<!doctype html>
<html lang="${language}">
  <head>
    ${head(prose.title, prose.description, context)}
    ${context.head}
  </head>
  <body>
    <a class="skip" href="#text">${escape(strings.skipToText)}</a>
    <header>
      <div class="bar">
        ${moved ? '' : `<a class="home" href="../">${escape(strings.section)}</a>`}
        <nav class="contents" aria-label="${escape(strings.contents)}">
          <button type="button" popovertarget="contents">${escape(strings.contents)}</button>
          <ol id="contents" popover>
            ${outline(prose.contents)}${moved ? furtherItem(strings, moved) : ''}
          </ol>
        </nav>
        <button type="button" class="teach" hidden>${escape(strings.teach)}</button>
        ${languageMenu(language, strings, menu, context.pageIn)}
      </div>
      <p class="kicker">${escape(strings.kicker)}</p>
      <h1>${escape(prose.title)}</h1>
      <noscript><p class="notice">${escape(strings.scriptsOff)}</p></noscript>
    </header>
    <main id="text" tabindex="-1">
${withLinks(withModels(withStill(prose.body), context), strings, context)}
    </main>
    ${teachingBar(strings)}
  </body>
</html>
`;
}

/** The bar above a figure that is shown alone: teaching/teach.ts. The page's title is hidden then. */
function teachingBar(strings: PageStrings): string {
  const button = (name: string, word: string, sign: string): string =>
    `<button type="button" class="${name}" title="${escape(word)}" aria-label="${escape(word)}">${sign}</button>`;
  return `<template id="teaching-bar">
      <nav class="teaching-bar" aria-label="${escape(strings.teach)}">
        <h1 aria-live="polite"></h1>
        <p>${escape(strings.teachers)}</p>
        <div>
          ${button('previous', strings.previousFigure, '←')}
          <button type="button" class="all" title="${escape(strings.allFigures)}"></button>
          ${button('next', strings.goOn, '→')}
          ${button('leave', strings.leaveTeaching, '×')}
        </div>
        <dialog aria-label="${escape(strings.allFigures)}"></dialog>
      </nav>
    </template>`;
}

/** The text, without paragraphs that link to the page for readers' own models where there is none. */
function withModels(body: string, { home }: PageContext): string {
  return home !== undefined ? body : body.replace(/<p>(?:(?!<\/p>)[^])*<a href="(?:\.\.\/)?models\/">[^]*?<\/p>/g, '');
}

/** The text, with a link to the proof and the licences of bundled software after its own licence. */
function withLinks(body: string, strings: PageStrings, { home, licenses }: PageContext): string {
  const proof = home === undefined ? '' : `<p><a href="${home}proof/">${escape(strings.proof)}</a></p>`;
  return body.replace('</footer>', `${proof}${licenses(escape(strings.licenses))}</footer>`);
}

/** Headings of level 2, with nested lists of those of level 3. */
function outline(contents: Prose['contents']): string {
  let html = '';
  for (const [index, { id, depth, html: text }] of contents.entries()) {
    const next = contents[index + 1]?.depth ?? 2;
    html += `<li><a href="#${id}">${text}</a>`;
    if (depth === 2 && next === 3) html += '<ol>';
    else html += depth === 3 && next === 2 ? '</li></ol></li>' : '</li>';
  }
  return html;
}

/** The link to the page that goes further, with what is there: ../moved.ts. */
function furtherItem(strings: PageStrings, moved: readonly string[]): string {
  return `<li><a href="further/" data-moved="${moved.join(' ')}">${escape(strings.further)}</a></li>`;
}

/** The page at `/`: a script redirects to the reader's language; without scripts there are links. */
export function startPage(menu: readonly MenuEntry[]): string {
  const pageIn: PageIn = (language) => `./${language}/`;
  return `<!doctype html>
<html lang="en">
  <head>
    ${head('Self-attention and positional encoding', 'A textbook section whose figures compute in your browser.')}
    ${alternates(menu, pageIn)}
    <link rel="stylesheet" href="/style/page.css" />
    <script type="module" src="/start.ts"></script>
  </head>
  <body>
    <main class="start">
      <h1>Self-attention and positional encoding</h1>
      <ul>${menuLinks(menu, pageIn)}</ul>
    </main>
  </body>
</html>
`;
}

/** The first figure's text, which shows until the figure is drawn. */
function withStill(body: string): string {
  return body.replace(/<language-model[^>]*>/, `$&<p lang="en">${escape(STILL)} …</p>`);
}

/** The head of every page: policy, title, icon. */
export function head(
  title: string,
  description: string,
  { policy, icon }: Pick<PageContext, 'policy' | 'icon'> = { policy: securityPolicy(), icon: ICON },
): string {
  return `<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${escape(description)}" />
    <title>${escape(title)}</title>
    <meta property="og:title" content="${escape(title)}" />
    <meta property="og:description" content="${escape(description)}" />
    <meta property="og:type" content="article" />
    <link rel="icon" href="${icon}" type="image/svg+xml" />`;
}

/** The `hreflang` links to the page in all languages. */
export function alternates(menu: readonly MenuEntry[], pageIn: PageIn): string {
  return menu
    .map(({ language }) => `<link vite-ignore rel="alternate" hreflang="${language}" href="${pageIn(language)}" />`)
    .join('\n    ');
}

export function languageMenu(
  current: string,
  strings: PageStrings,
  menu: readonly MenuEntry[],
  pageIn: PageIn,
): string {
  const label = escape(strings.languages);
  const here = escape(strings.languageName);
  return `<nav class="languages" aria-label="${label}">
          <button type="button" popovertarget="languages" aria-label="${label}: ${here}">${here}</button>
          <ul id="languages" popover>${menuLinks(menu, pageIn, current)}</ul>
        </nav>`;
}

function menuLinks(menu: readonly MenuEntry[], pageIn: PageIn, current?: string): string {
  const item = ({ language, name }: MenuEntry): string =>
    `<li><a href="${pageIn(language)}" lang="${language}" hreflang="${language}"${language === current ? ' aria-current="page"' : ''}>${escape(name)}</a></li>`;
  return menu.map(item).join('');
}
