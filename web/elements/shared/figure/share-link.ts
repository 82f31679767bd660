import type { Settings } from '../settings.js';

/** A figure as links see it. */
export interface Shareable extends HTMLElement {
  readonly settings: Settings;
  /** Name of the figures that share their settings; none or empty for a single figure. */
  readonly group?: string;
}

/** The name of a figure in links: its group, else the nearest `id` around it, else its tag. */
export function linkName(figure: HTMLElement & { readonly group?: string }): string {
  return figure.group === undefined || figure.group === '' ? fileName(figure) : figure.group;
}

/** The name of a file of the figure, without its ending: the nearest `id` around it, or its tag. */
export function fileName(figure: HTMLElement): string {
  return nearestId(figure) ?? figure.localName;
}

/** The settings of this figure in the address. Unknown names and invalid values are ignored. */
export function settingsInLink(figure: Shareable, address: string): Record<string, unknown> {
  const text = new URL(address).searchParams.get(linkName(figure));
  const given: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams((text ?? '').slice(0, 4000))) {
    const setting = Object.hasOwn(figure.settings, name) ? figure.settings[name] : undefined;
    const read = setting?.read(value);
    if (read !== undefined) given[name] = read;
  }
  return given;
}

/**
 * The address with this figure's settings, as far as they differ from its first ones. Other parts of the address do not
 * change.
 */
export function withSettings(figure: Shareable, address: string, first: Readonly<Record<string, unknown>>): string {
  const url = new URL(address);
  const values = figure as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(figure.settings)
    .map(([name, setting]) => [name, setting.write(values[name]), setting.write(first[name])] as const)
    .filter(([, now, before]) => now !== before)
    .map(([name, now]): [string, string] => [name, now]);
  const name = linkName(figure);
  if (changed.length === 0) url.searchParams.delete(name);
  else url.searchParams.set(name, String(new URLSearchParams(changed)));
  return url.href;
}

/**
 * The address without the settings of any figure in the document. Figures that are not defined yet have theirs there as
 * well.
 */
export function withoutSettings(address: string): string {
  const url = new URL(address);
  for (const each of document.querySelectorAll<HTMLElement>('[drawn], :not(:defined)')) {
    url.searchParams.delete(each.getAttribute('group') ?? fileName(each));
  }
  return url.href;
}

/** The address with this figure's settings, which scrolls to the figure. */
export function linkTo(figure: Shareable, address: string, first: Readonly<Record<string, unknown>>): string {
  const url = new URL(withSettings(figure, address, first));
  url.hash = nearestId(figure) ?? '';
  return url.href;
}

function nearestId(figure: HTMLElement): string | undefined {
  return figure.closest('[id]:not([id=""])')?.id;
}
