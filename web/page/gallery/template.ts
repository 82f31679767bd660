import { head } from '../plugins/template.js';

/** The page at `/gallery/`: every element, live, with the HTML that embeds it. Its script writes the list. */
export function galleryPage(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    ${head('Gallery of the figures', 'Every figure of wasm-attention as a custom element, live, with the HTML that embeds it.')}
    <link rel="stylesheet" href="/style/page.css" />
    <link rel="stylesheet" href="/gallery/gallery.css" />
    <script type="module" src="/gallery/main.ts"></script>
  </head>
  <body>
    <header>
      <p class="kicker"><a href="../en/">Self-attention and positional encoding</a></p>
      <h1>Gallery</h1>
      <p class="lede">Every figure as a custom element, for anybody’s page.</p>
      <noscript><p class="notice">JavaScript is off. The figures need it, and so does their list.</p></noscript>
    </header>
    <main id="text" tabindex="-1">
      <p>One script tag, with the package’s folder <code>dist</code> on your own server; then each figure is a tag, loaded when its reader
      comes near. They speak the language of the nearest <code>lang</code> attribute (en, pt, ko, tr, id), follow the page’s
      <code>color-scheme</code>, and take colours and font from custom properties such as <code>--figure-accent</code>.</p>
      <pre><code>&lt;script type="module" src="dist/elements/auto.js"&gt;&lt;/script&gt;</code></pre>
      <p>With a bundler, all of them at once:</p>
      <pre><code>import 'wasm-attention/elements';</code></pre>
      <p>Every figure fires <code>figure-change</code> when its reader changes a setting, with all settings by name in
      <code>detail</code>, and <code>figure-error</code> when the library cannot be loaded. Both bubble and leave shadow roots. A link
      to a figure carries its settings; so does the page’s address, where the page writes them into it.</p>
      <div id="gallery"></div>
    </main>
  </body>
</html>
`;
}
