/**
 * All figures as widgets for notebooks and books: one file that needs no network and no kernel, with the interface of anywidget
 * (https://anywidget.dev). The model's traits say which figure is shown, and what in it; see the guide "Notebooks and books".
 * @packageDocumentation
 */
import './index.js';
import type { WidgetView } from './anywidget-types.js';
import { parts, registry } from './registry.js';
import { followHost } from './shared/dark-host.js';
import type { FigureElement } from './shared/figure/figure-element.js';

type Settings = Readonly<Record<string, unknown>>;
type TakesArrays = HTMLElement & { loadArrays?: (arrays: Record<string, unknown>) => void };

const TAGS = [...Object.keys(registry), ...Object.keys(parts)];
/** Traits that hold arrays or their words, and what `loadArrays` calls them. */
const ARRAYS = { weights: 'weights', values: 'values', tokens: 'tokens', key_tokens: 'keyTokens' };
/** How hosts tell pages that they are dark: JupyterLab, marimo and Quarto, Sphinx, MyST. */
const THEMES = ['class', 'style', 'data-jp-theme-light', 'data-theme', 'data-bs-theme', 'data-mode'];

/** Shows a figure in `el`, and keeps it and the model's traits alike. Returns a function that removes it. */
function render({ model, el }: WidgetView): () => void {
  // JupyterLab would take the keys that move a slider or a cursor.
  el.dataset.lmSuppressShortcuts = 'true';
  const failure = document.createElement('p');
  failure.setAttribute('role', 'alert');
  let figure: TakesArrays | undefined;
  /** The settings that the figure and the model agree about, so that neither answers the other. */
  let agreed = '';

  /** Does what may fail, and shows why it has. */
  const attempt = (action: () => void): void => {
    try {
      action();
      failure.remove();
    } catch (error) {
      failure.textContent = (error as Error).message;
      el.prepend(failure);
    }
  };
  const settings = (): Settings => (model.get('settings') ?? {}) as Settings;
  const applySettings = (): void => {
    const given = settings();
    if (figure === undefined || JSON.stringify(given) === agreed) return;
    agreed = JSON.stringify(given);
    for (const [name, value] of Object.entries(given)) setAttribute(figure, name, value);
  };
  const applyArrays = (): void => {
    const given: Record<string, unknown> = {};
    for (const [trait, name] of Object.entries(ARRAYS)) {
      const value = model.get(trait);
      if (value != null) given[name] = value;
    }
    if (figure?.loadArrays && ('weights' in given || 'values' in given)) figure.loadArrays(given);
  };
  const show = (): void => {
    const tag = TAGS.find((each) => each === (model.get('figure') ?? 'head-viewer'));
    if (tag === undefined) throw new RangeError(`expected figure to be one of ${TAGS.join(', ')}`);
    figure?.remove();
    figure = document.createElement(tag);
    agreed = '';
    applySettings();
    el.append(figure);
    applyArrays();
  };
  const tell = (changed: Settings): void => {
    const next = { ...settings(), ...changed };
    agreed = JSON.stringify(next);
    model.set('settings', next);
    model.save_changes();
  };

  const events: Record<string, (event: CustomEvent<Settings>) => void> = {
    'figure-change': ({ detail }) => tell(detail),
    'head-change': ({ detail }) => tell(detail),
  };
  const listeners: [string, () => void][] = [
    ['change:figure', () => attempt(show)],
    ['change:settings', () => attempt(applySettings)],
    ...Object.keys(ARRAYS).map((trait): [string, () => void] => [
      `change:${trait}`,
      () => attempt(applyArrays),
    ]),
  ];
  const theme = new MutationObserver(() => figure && followTheme(figure, el));
  for (const element of [document.documentElement, document.body])
    theme.observe(element, { attributeFilter: THEMES });
  for (const [name, listener] of Object.entries(events)) el.addEventListener(name, listener as EventListener);
  for (const [event, listener] of listeners) model.on(event, listener);
  attempt(show);
  return () => {
    theme.disconnect();
    for (const [name, listener] of Object.entries(events))
      el.removeEventListener(name, listener as EventListener);
    for (const [event, listener] of listeners) model.off(event, listener);
    figure?.remove();
    failure.remove();
  };
}

/** Sets a setting by its attribute, which checks it. Its name may be written as in Python or in JavaScript. */
function setAttribute(figure: HTMLElement, name: string, value: unknown): void {
  const attribute = name.replace(/_/g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (value === true) figure.setAttribute(attribute, '');
  else if (value === false && 'settings' in figure) figure.setAttribute(attribute, 'no');
  else if (value == null || value === false) figure.removeAttribute(attribute);
  else figure.setAttribute(attribute, [value as string].flat().join(' '));
}

/** Takes the host's scheme anew, and paints what has been painted in the old one. */
function followTheme(figure: HTMLElement, host: HTMLElement): void {
  figure.style.colorScheme = '';
  followHost(figure, host);
  const repaint = (element: Element): void => {
    (element as Partial<Pick<FigureElement & { repaint: () => void }, 'repaint'>>).repaint?.();
    element.shadowRoot?.querySelectorAll('*').forEach(repaint);
  };
  repaint(figure);
}

export default { render };
