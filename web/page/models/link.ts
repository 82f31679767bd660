/** The state in a link to the page: the text and the changes, never a model. */
export interface UrlState {
  readonly text: string;
  readonly layer: number;
  readonly head: number;
  /** Whether the model uses positions. */
  readonly positions: boolean;
  /** Silenced heads, each `layer.head`. */
  readonly silent: readonly string[];
}

const LONGEST = 2000;

/** Layer and head of `layer.head`, counted from 0. */
export function headOf(name: string): [layer: number, head: number] {
  return name.split('.').map((number) => Number(number) - 1) as [number, number];
}

/** What a pass changes in the model. */
export function changesOf({ silent, positions }: UrlState): {
  ablate: [layer: number, head: number][];
  positions?: 'none';
} {
  return { ablate: silent.map(headOf), ...(!positions && { positions: 'none' }) };
}

/** Reads the page's URL; invalid parts are ignored. */
export function readUrl(search: string): UrlState {
  const given = new URLSearchParams(search);
  const number = (name: string): number => {
    const value = Number(given.get(name) ?? 1);
    return Number.isInteger(value) && value >= 1 && value <= 1000 ? value : 1;
  };
  return {
    text: (given.get('text') ?? '').slice(0, LONGEST),
    layer: number('layer'),
    head: number('head'),
    positions: given.get('positions') !== 'no',
    silent: (given.get('silent') ?? '')
      .split(' ')
      .filter((name) => /^\d{1,3}\.\d{1,3}$/.test(name))
      .slice(0, 1000),
  };
}

/** Writes the state into a URL. */
export function writeUrl(address: string, { text, layer, head, positions, silent }: UrlState): string {
  const url = new URL(address);
  const values = {
    text: text.slice(0, LONGEST),
    layer: layer > 1 ? layer : '',
    head: head > 1 ? head : '',
    positions: positions ? '' : 'no',
    silent: silent.join(' '),
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  return url.href;
}
