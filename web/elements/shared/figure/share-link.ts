import type { Settings } from '../settings.js';

/** A figure as links see it. */
export interface Shareable extends HTMLElement {
  readonly settings: Settings;
  /** The name of the figures that share their settings; empty or undefined for a single figure. */
  readonly group?: string;
}

/** The name of a figure in links: its group, else the nearest `id` around it, else its tag. */
export function linkName(figure: HTMLElement & { readonly group?: string }): string {
  return figure.group === undefined || figure.group === '' ? fileName(figure) : figure.group;
}

/** The name of a figure's file, without its extension: the nearest `id` around it, or its tag. */
export function fileName(figure: HTMLElement): string {
  return nearestId(figure) ?? figure.localName;
}

/** This figure's settings in the URL. Unknown names and invalid values are ignored. */
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
 * The URL with those of this figure's settings that differ from the initial ones. The rest of the URL does not change.
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

/** The URL without the settings of any figure in the document, including figures that are not defined yet. */
export function withoutSettings(address: string): string {
  const url = new URL(address);
  for (const each of document.querySelectorAll<HTMLElement>('[drawn], :not(:defined)')) {
    url.searchParams.delete(each.getAttribute('group') ?? fileName(each));
  }
  return url.href;
}

/** The URL with this figure's settings, which scrolls to the figure. */
export function linkTo(figure: Shareable, address: string, first: Readonly<Record<string, unknown>>): string {
  const url = new URL(withSettings(figure, address, first));
  url.hash = nearestId(figure) ?? '';
  return url.href;
}

function nearestId(figure: HTMLElement): string | undefined {
  return figure.closest('[id]:not([id=""])')?.id;
}
