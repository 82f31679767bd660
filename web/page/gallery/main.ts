import { html, nothing, render, type TemplateResult } from 'lit';
import type { FigureElement } from '../../elements/kit.js';
import { parts, registry } from '../../elements/registry.js';
import { reachScrollers } from '../scrollers.js';
import { keepStateInAddress } from '../url-state.js';
import { GROUP, GROUPED, PARTS, type AttributeEntry, type Entry } from './entries.js';

/** The events of every figure. */
const FIGURE_EVENTS = ['figure-change { …settings }', 'figure-error cause'];

void fill();

/** Writes the list: the figures of the registry, then the parts. */
async function fill(): Promise<void> {
  await Promise.all(Object.values({ ...registry, ...parts }).map((load) => load()));
  const entries = [...Object.keys(registry).map(entryOf), ...PARTS];
  render(entries.map(section), document.getElementById('gallery')!);
  keepStateInAddress();
  reachScrollers('pre, .table');
}

/** What there is to say of a figure: most of it is in its class. */
function entryOf(tag: string): Entry {
  const figure = customElements.get(tag) as typeof FigureElement | undefined;
  if (figure === undefined)
    throw new Error(`gallery: expected the module of <${tag}> to define it, got none`);
  const settings = Object.entries(figure.settings).map(([name, setting]): AttributeEntry => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    setting.write(setting.initial),
    setting.range ?? '',
  ]);
  const events = FIGURE_EVENTS;
  if (!GROUPED.includes(tag)) return { tag, html: `<${tag}></${tag}>`, attributes: settings, events };
  const markup = `<${tag} group="P" columns="6 7 8 9"></${tag}>`;
  return { tag, html: markup, attributes: [...settings, GROUP], events };
}

function section(entry: Entry): TemplateResult {
  const { tag, attributes = [], events = [] } = entry;
  return html`<section>
    <h2 id="about-${tag}"><code>&lt;${tag}&gt;</code></h2>
    <figure id=${tag} aria-labelledby="about-${tag}">${live(entry)}</figure>
    <pre><code>${entry.html}</code></pre>
    ${attributes.length === 0 ? nothing : table(attributes)}
    ${events.length === 0 ? nothing : html`<p>Events: ${events.map((event, i) => [i > 0 ? ', ' : '', html`<code>${event}</code>`])}</p>`}
  </section>`;
}

/** The element, made of the very markup that is shown. */
function live({ html: markup, prepare }: Entry): Element | typeof nothing {
  const element = new DOMParser().parseFromString(markup, 'text/html').body.firstElementChild;
  if (!(element instanceof HTMLElement)) return nothing;
  const adopted = document.importNode(element, true);
  adopted.removeAttribute('id');
  prepare?.(adopted);
  return adopted;
}

function table(attributes: readonly AttributeEntry[]): TemplateResult {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th scope="col">attribute</th>
          <th scope="col">default</th>
          <th scope="col">values</th>
        </tr>
      </thead>
      <tbody>
        ${attributes.map(
          ([name, initial, range]) =>
            html`<tr>
              <td><code>${name}</code></td>
              <td>${initial === '' ? '' : html`<code>${initial}</code>`}</td>
              <td>${range}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
