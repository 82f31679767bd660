import type { HeadViewer } from '../../elements/kit.js';

/** An attribute as the gallery lists it. */
export type AttributeEntry = readonly [name: string, initial: string | number, range: string];

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

/** Figures that the gallery shows as members of a group, and the attribute that makes them so. */
export const GROUPED: readonly string[] = ['positional-curves', 'positional-heatmap'];
export const GROUP: AttributeEntry = ['group', '', 'figures of one name share their settings'];

/** The weights of two heads, as the gallery shows and draws them. */
const HEADS = ['[[1, 0, 0], [0, 1, 0], [0, 0, 1]]', '[[1, 0, 0], [0.5, 0.5, 0], [0.4, 0.3, 0.3]]'];

/** Parts that figures are made of, to be used by themselves. */
export const PARTS: readonly Entry[] = [
  {
    tag: 'head-viewer',
    html: `<head-viewer id="viewer"></head-viewer>
<script type="module">
  // Two heads of one layer: each token looks at itself, or at all before it.
  document.getElementById('viewer').loadArrays({
    weights: [
      ${HEADS.join(',\n      ')},
    ],
    tokens: ['the', 'cat', 'sat'],
  });
</script>`,
    attributes: [
      ['layer', 1, 'the layer shown large'],
      ['head', 1, 'its head shown large'],
      ['view', 'map', 'map, lines'],
      ['silenceable', 'no', 'readers can silence heads'],
    ],
    events: ['head-change { layer, head }', 'head-silence { layer, head, silent }'],
    prepare: (element) => {
      (element as unknown as Pick<HeadViewer, 'loadArrays'>).loadArrays({
        weights: HEADS.map((head) => JSON.parse(head) as number[][]),
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
      ['rows', 0, 'number of rows'],
      ['columns', 0, 'number of columns'],
      ['low', -1, 'value at the ramp’s faint end'],
      ['high', 1, 'value at the ramp’s strong end'],
      ['label', '', 'accessible name: what the matrix is'],
      ['row-name', '', 'name of the rows'],
      ['column-name', '', 'name of the columns'],
      ['origin', 0, 'number of the first row and column'],
      ['digits', 3, 'decimals of values in words'],
      ['valid-columns', '', 'columns from this one on are hatched'],
      ['bare', 'no', 'the map alone'],
      ['pickable', 'no', 'a click, Enter or Space picks a cell'],
    ],
    events: ['cell-change { row, column, value }', 'cell-pick { row, column, value }'],
    prepare: (element) => {
      Object.assign(element, { values: [0.7, 0.1, 0.1, 0.1, 0.2, 0.6, 0.1, 0.1, 0.1, 0.2, 0.3, 0.4] });
    },
  },
  {
    tag: 'ramp-legend',
    html: '<ramp-legend low="0" high="1"></ramp-legend>',
    attributes: [
      ['low', -1, 'value at the faint end'],
      ['high', 1, 'value at the strong end'],
    ],
  },
];
