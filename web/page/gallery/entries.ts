import type { HeadViewer } from '../../elements/kit.js';

/** An attribute as the gallery lists it. */
export interface AttributeEntry {
  readonly name: string;
  readonly initial: string;
  readonly range: string;
}

/** What the gallery says of an element besides what its settings say. */
export interface Entry {
  readonly tag: string;
  /** The markup that embeds it. */
  readonly html: string;
  readonly attributes?: readonly AttributeEntry[];
  readonly events?: readonly string[];
  /** Sets what attributes cannot. */
  readonly prepare?: (element: HTMLElement) => void;
}

const GROUP: AttributeEntry = {
  name: 'group',
  initial: '',
  range: 'figures of one name share their settings',
};

/** Figures whose markup or attributes are more than their settings. */
export const GROUPED: Readonly<Record<string, Pick<Entry, 'html' | 'attributes'>>> = {
  'positional-curves': {
    html: '<positional-curves group="P" columns="6 7 8 9"></positional-curves>',
    attributes: [GROUP],
  },
  'positional-heatmap': {
    html: '<positional-heatmap group="P" columns="6 7 8 9"></positional-heatmap>',
    attributes: [GROUP],
  },
};

const number = (name: string, initial: number | string, range: string): AttributeEntry => ({
  name,
  initial: String(initial),
  range,
});

/** Parts that figures are made of, to be used by themselves. */
export const PARTS: readonly Entry[] = [
  {
    tag: 'head-viewer',
    html: `<head-viewer id="viewer"></head-viewer>
<script type="module">
  // Two heads of one layer: each token looks at itself, or at all before it.
  document.getElementById('viewer').loadArrays({
    weights: [
      [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
      [[1, 0, 0], [0.5, 0.5, 0], [0.4, 0.3, 0.3]],
    ],
    tokens: ['the', 'cat', 'sat'],
  });
</script>`,
    attributes: [
      number('layer', 1, 'the layer shown large'),
      number('head', 1, 'its head shown large'),
      number('view', 'map', 'map, lines'),
      number('silenceable', 'no', 'readers can silence heads'),
    ],
    events: ['head-change { layer, head }', 'head-silence { layer, head, silent }'],
    prepare: (element) => {
      (element as unknown as Pick<HeadViewer, 'loadArrays'>).loadArrays({
        weights: [
          [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
          ],
          [
            [1, 0, 0],
            [0.5, 0.5, 0],
            [0.4, 0.3, 0.3],
          ],
        ],
        tokens: ['the', 'cat', 'sat'],
      });
    },
  },
  {
    tag: 'heat-map',
    html: `<heat-map id="map" rows="3" columns="4" low="0" high="1" label="Three queries over four keys"
  row-name="query" column-name="key" origin="1"></heat-map>
<script type="module">
  document.getElementById('map').values = [0.7, 0.1, 0.1, 0.1, 0.2, 0.6, 0.1, 0.1, 0.1, 0.2, 0.3, 0.4];
</script>`,
    attributes: [
      number('rows', 0, 'number of rows'),
      number('columns', 0, 'number of columns'),
      number('low', -1, 'value at the ramp’s faint end'),
      number('high', 1, 'value at the ramp’s strong end'),
      number('label', '', 'accessible name: what the matrix is'),
      number('row-name', '', 'name of the rows'),
      number('column-name', '', 'name of the columns'),
      number('origin', 0, 'number of the first row and column'),
      number('digits', 3, 'decimals of values in words'),
      number('valid-columns', '', 'columns from this one on are hatched'),
      number('bare', 'no', 'the map alone'),
      number('pickable', 'no', 'a click, Enter or Space picks a cell'),
    ],
    events: ['cell-change { row, column, value }', 'cell-pick { row, column, value }'],
    prepare: (element) => {
      Object.assign(element, { values: [0.7, 0.1, 0.1, 0.1, 0.2, 0.6, 0.1, 0.1, 0.1, 0.2, 0.3, 0.4] });
    },
  },
  {
    tag: 'ramp-legend',
    html: '<ramp-legend low="0" high="1"></ramp-legend>',
    attributes: [number('low', -1, 'value at the faint end'), number('high', 1, 'value at the strong end')],
    events: [],
  },
];
