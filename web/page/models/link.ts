/** What the page shows below a text. */
export const VIEWS = ['heads', 'lens', 'neurons', 'patching'] as const;
export type View = (typeof VIEWS)[number];

/** The state in a link to the page: the texts and the changes, never a model. */
export interface UrlState {
  readonly text: string;
  readonly layer: number;
  readonly head: number;
  /** Whether the model uses positions. */
  readonly positions: boolean;
  /** Silenced heads, each `layer.head`. */
  readonly silent: readonly string[];
  /** Neurons that are switched off, each `layer.neuron`. */
  readonly neurons: readonly string[];
  readonly view: View;
  /** The id of the token that the lens follows. */
  readonly followed: number | null;
  /** The text from which states are patched. */
  readonly other: string;
}

const LONGEST = 2000;

/** Layer and head, or layer and neuron, of `layer.head`, counted from 0. */
export function partOf(name: string): [layer: number, part: number] {
  return name.split('.').map((number) => Number(number) - 1) as [number, number];
}

/** The names in a text, each `layer.part`, without repetition. */
export function namesIn(text: string): string[] {
  const names = text.split(/[\s,;]+/).filter((name) => /^[1-9]\d{0,2}\.[1-9]\d{0,5}$/.test(name));
  return [...new Set(names)].slice(0, 1000);
}

/** What a pass changes in the model. */
export function changesOf({ silent, neurons, positions }: UrlState): {
  ablate: [layer: number, head: number][];
  ablateNeurons: [layer: number, neuron: number][];
  positions?: 'none';
} {
  return {
    ablate: silent.map(partOf),
    ablateNeurons: neurons.map(partOf),
    ...(!positions && { positions: 'none' }),
  };
}

/** Reads the page's URL; invalid parts are ignored. */
export function readUrl(search: string): UrlState {
  const given = new URLSearchParams(search);
  const number = (name: string): number => {
    const value = Number(given.get(name) ?? 1);
    return Number.isInteger(value) && value >= 1 && value <= 1000 ? value : 1;
  };
  const text = (name: string): string => (given.get(name) ?? '').slice(0, LONGEST);
  return {
    text: text('text'),
    layer: number('layer'),
    head: number('head'),
    positions: given.get('positions') !== 'no',
    silent: namesIn(given.get('silent') ?? ''),
    neurons: namesIn(given.get('neurons') ?? ''),
    view: VIEWS.find((view) => view === given.get('view')) ?? 'heads',
    followed: /^\d{1,7}$/.test(text('followed')) ? Number(text('followed')) : null,
    other: text('other'),
  };
}

/** Writes the state into a URL. */
export function writeUrl(address: string, state: UrlState): string {
  const url = new URL(address);
  const { text, layer, head, positions, silent, neurons, view, followed, other } = state;
  const values = {
    text: text.slice(0, LONGEST),
    layer: layer > 1 ? layer : '',
    head: head > 1 ? head : '',
    positions: positions ? '' : 'no',
    silent: silent.join(' '),
    neurons: neurons.join(' '),
    view: view === 'heads' ? '' : view,
    followed: followed ?? '',
    other: other.slice(0, LONGEST),
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  return url.href;
}
