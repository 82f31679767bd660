/**
 * All figures as widgets for notebooks and books: one file that needs no network and no kernel, with the interface of
 * anywidget (https://anywidget.dev). The model's traits choose the figure and its settings; see the guide "Notebooks
 * and books".
 * @packageDocumentation
 */
import './index.js';
import type { WidgetView } from './anywidget-types.js';
import { figures, parts } from './registry.js';
import { followHost } from './shared/dark-host.js';
import type { FigureElement } from './shared/figure/figure-element.js';

type Settings = Readonly<Record<string, unknown>>;
/** Settings by attribute: the name under which each was given, and its value. */
type Given = Map<string, readonly [string, unknown]>;
/** A figure, which has `settings`, or a part of figures, which may take arrays. */
type Shown = HTMLElement & { readonly loadArrays?: (arrays: Record<string, unknown>) => void } & Partial<
    Pick<FigureElement, 'settings' | 'addController'>
  >;

const TAGS = [...Object.keys(figures), ...Object.keys(parts)];
/** Traits with arrays or what belongs to them, and their names in `loadArrays`. */
const ARRAYS = {
  weights: 'weights',
  values: 'values',
  tokens: 'tokens',
  key_tokens: 'keyTokens',
  picture: 'picture',
  patches: 'patches',
  region: 'region',
  logits: 'logits',
  ablated: 'ablated',
  vocabulary: 'vocabulary',
};
/** The selectors by which hosts mark dark pages: JupyterLab, marimo and Quarto, Sphinx, MyST. */
const THEMES = ['class', 'style', 'data-jp-theme-light', 'data-theme', 'data-bs-theme', 'data-mode'];

/** Shows a figure in `el`, and keeps it and the model's traits in sync. Returns a function that removes it. */
function render({ model, el }: WidgetView): () => void {
  // JupyterLab would handle the keys that move a slider or a cursor.
  el.dataset.lmSuppressShortcuts = 'true';
  const failure = document.createElement('p');
  failure.setAttribute('role', 'alert');
  let figure: Shown | undefined;
  /**
   * The settings on which figure and model agree, so that neither answers the other's update; and the figure's values
   * for them.
   */
  let agreed: Given = new Map();
  let made = '';
  let hasArrays = false;

  /** Runs what may fail, and shows the error. */
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
    const next = byAttribute(settings());
    if (figure?.parentNode !== el || needsNewElement(figure, agreed, next)) show();
    else if (JSON.stringify([...next]) !== JSON.stringify([...agreed])) {
      setAll(figure, next);
      agreed = next;
      made = JSON.stringify(valuesOf(figure));
      tidy();
    }
  };
  const applyArrays = (): void => {
    const given: Record<string, unknown> = {};
    for (const [trait, name] of Object.entries(ARRAYS)) {
      const value = model.get(trait);
      if (value != null) given[name] = value;
    }
    if (['weights', 'values', 'logits'].some((name) => name in given)) {
      if (!figure?.loadArrays) return;
      figure.loadArrays(given);
      hasArrays = true;
      // A heat map takes the range of its colours from the array, unless it is given.
      setAll(figure, new Map([...agreed].filter(([name]) => name === 'low' || name === 'high')));
    } else if (hasArrays) show();
  };
  const show = (): void => {
    const tag = TAGS.find((each) => each === (model.get('figure') ?? 'head-viewer'));
    if (tag === undefined) throw new RangeError(`expected figure to be one of ${TAGS.join(', ')}`);
    const next: Shown = document.createElement(tag);
    const given = byAttribute(settings());
    setAll(next, given);
    figure?.remove();
    [figure, agreed, hasArrays] = [next, given, false];
    made = JSON.stringify(valuesOf(next));
    // Figures of a group follow each other without an event.
    next.addController?.({
      hostUpdated: () => {
        if (next === figure && JSON.stringify(valuesOf(next)) !== made) tell(valuesOf(next));
      },
    });
    el.append(next);
    tidy();
    applyArrays();
  };
  /** Writes changed settings into the model, each under the name under which it was given. */
  const tell = (changed: Settings): void => {
    const next = byAttribute(settings());
    for (const [name, value] of Object.entries(changed)) {
      const attribute = attributeOf(name);
      next.set(attribute, [next.get(attribute)?.[0] ?? name, value]);
    }
    agreed = next;
    if (figure) made = JSON.stringify(valuesOf(figure));
    model.set('settings', Object.fromEntries(next.values()));
    model.save_changes();
  };
  /** Of a setting under two names, keeps only the later one. */
  const tidy = (): void => {
    if (agreed.size < Object.keys(settings()).length) tell({});
  };

  const events: Record<string, (event: CustomEvent<Settings>) => void> = {
    'figure-change': ({ detail }) => tell(detail),
    // Ignores a viewer inside a figure.
    'head-change': ({ detail }) => figure?.settings ?? tell(detail),
    'follow-change': ({ detail }) => tell(detail),
    'query-change': ({ detail }) => figure?.settings ?? tell(detail),
  };
  const listeners: [string, () => void][] = [
    ['change:figure', () => attempt(show)],
    ['change:settings', () => attempt(applySettings)],
    ...Object.keys(ARRAYS).map((trait): [string, () => void] => [`change:${trait}`, () => attempt(applyArrays)]),
  ];
  const theme = new MutationObserver(() => figure && followTheme(figure, el));
  for (const element of [document.documentElement, document.body]) theme.observe(element, { attributeFilter: THEMES });
  for (const [name, listener] of Object.entries(events)) el.addEventListener(name, listener as EventListener);
  for (const [event, listener] of listeners) model.on(event, listener);
  attempt(show);
  return () => {
    theme.disconnect();
    for (const [name, listener] of Object.entries(events)) el.removeEventListener(name, listener as EventListener);
    for (const [event, listener] of listeners) model.off(event, listener);
    figure?.remove();
    figure = undefined;
    failure.remove();
  };
}

/** A setting's attribute; its name may be in snake case or camel case. */
function attributeOf(name: string): string {
  return name.replace(/_/g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function byAttribute(settings: Settings): Given {
  return new Map(Object.entries(settings).map(([name, value]) => [attributeOf(name), [name, value]]));
}

/** Whether settings were removed, or changed to values that only a new element shows. */
function needsNewElement(figure: Shown, before: Given, next: Given): boolean {
  const known = new Set(Object.keys(figure.settings ?? {}).map(attributeOf));
  const differs = (name: string): boolean => String(before.get(name)?.[1]) !== String(next.get(name)?.[1]);
  const isGiven = (given: Given, attribute: string): boolean => textOf(figure, given.get(attribute)?.[1]) !== undefined;
  return (
    [...before.keys()].some((each) => !known.has(each) && isGiven(before, each) && !isGiven(next, each)) ||
    differs('lang') ||
    (figure.settings !== undefined && differs('group'))
  );
}

/** An attribute's text; undefined if the attribute must be absent. */
function textOf({ settings }: Shown, value: unknown): string | undefined {
  if (value === true) return '';
  if (value === false && settings) return 'no';
  return value == null || value === false ? undefined : [value as string].flat().join(' ');
}

/**
 * Sets settings through their attributes, which validate them, and the figure's others to their initial values. Ignores
 * what is no setting: an attribute such as `onfocus` would be code out of a notebook's data.
 */
function setAll(figure: Shown, given: Given): void {
  for (const [attribute, [name]] of given)
    if (!/^[a-z][a-z0-9-]*$/.test(attribute))
      throw new RangeError(`expected settings to be named like attributes, got ${JSON.stringify(name)}`);
  for (const [name, { initial }] of Object.entries(figure.settings ?? {}))
    if (given.get(attributeOf(name))?.[1] == null) (figure as unknown as Record<string, unknown>)[name] = initial;
  for (const [attribute, [, value]] of given) {
    if (!isSetting(figure, attribute)) continue;
    const text = textOf(figure, value);
    if (text === undefined) figure.removeAttribute(attribute);
    else figure.setAttribute(attribute, text);
  }
}

/** Whether an attribute is one of those that the element declares, or that any figure may have. */
function isSetting(figure: Shown, attribute: string): boolean {
  const { observedAttributes } = figure.constructor as unknown as { readonly observedAttributes: readonly string[] };
  return [...observedAttributes, 'group', 'lang'].includes(attribute);
}

/** A figure's current settings. */
function valuesOf(figure: Shown): Settings {
  const values = figure as unknown as Settings;
  return Object.fromEntries(Object.keys(figure.settings ?? {}).map((name) => [name, values[name]]));
}

/** Reads the host's colour scheme again, and repaints what was painted in the old one. */
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
