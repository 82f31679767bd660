import { html, type TemplateResult } from 'lit';
import { onCell, type CellDetail } from '../shared/heat-map/heat-map.js';
import { shownOf } from '../shared/heat-map/marks.js';
import type { Localised } from '../shared/localised.js';
import { shortened } from '../shared/tokens.js';
import { HEADS } from './designed-heads.js';
import { entropyBars } from '../shared/entropy/entropy-bars.js';
import { entropies } from '../shared/entropy/entropy.js';
import type { TokensScene } from './scene.js';

/** The most letters of a token on an axis. */
const ROOM = 9;
/**
 * The width of the large map's labels and entropies, its greatest height, and the least distance of labels, in CSS
 * pixels.
 */
const BESIDE = 148;
const HIGH = 296;
const LABEL = 12;

/** The maps of all heads, and their events. */
export interface TokensMaps {
  readonly scene: TokensScene;
  readonly words: Localised;
  /** The head shown large, counted from 1. */
  readonly solo: number;
  readonly pointed: CellDetail | undefined;
  /** The label step of the large map. */
  readonly labelStep: number;
  readonly point: (cell: CellDetail) => void;
  /** The reader picked a head, counted from 1. */
  readonly pick: (head: number) => void;
}

/** How many rows and columns share a label on the large map; `width` includes labels and entropies. */
export function labelStepOf({ queries, keys }: TokensScene, width: number): number {
  return Math.ceil(LABEL * Math.max(keys.length / Math.max(1, width - BESIDE), queries.length / HIGH));
}

/** All heads side by side, and one of them large, with the tokens on its axes and the entropy of each row. */
export function tokensMaps(maps: TokensMaps): TemplateResult {
  return html`<div class="heads">${HEADS.map((_, head) => small(maps, head))}</div>
    ${large(maps)}`;
}

function kindOf(head: number, words: Localised): string {
  return words.text(`tokens.${HEADS[head] ?? 'random'}`);
}

function small(maps: TokensMaps, head: number): TemplateResult {
  const { scene, words, solo } = maps;
  const all = entropies(scene.heads[head] ?? [], scene.keys.length);
  const mean = all.reduce((sum, bits) => sum + bits, 0) / all.length;
  return html`<div class=${solo === head + 1 ? 'head solo' : 'head'}>
    <p class="name" aria-hidden="true">${head + 1}: ${kindOf(head, words)}</p>
    ${map(maps, head, true)}
    <p class="bits">${words.text('tokens.meanEntropy', { bits: words.number(mean, 1) })}</p>
  </div>`;
}

function large(maps: TokensMaps): TemplateResult {
  const { scene, words, solo, pointed, labelStep } = maps;
  const bits = entropies(scene.heads[solo - 1] ?? [], scene.keys.length);
  const most = Math.log2(scene.keys.length);
  return html`<div class="large">
    <p class="name">${words.text('tokens.head')} ${solo}: ${kindOf(solo - 1, words)}</p>
    ${map(maps, solo - 1, false)}
    ${entropyBars(bits, most, shownOf({ count: bits.length, step: labelStep, cursor: pointed?.row }), words)}
  </div>`;
}

function map(maps: TokensMaps, head: number, isSmall: boolean): TemplateResult {
  const { scene, words } = maps;
  const labels = (tokens: readonly string[]): string[] =>
    isSmall ? [] : tokens.map((token) => shortened(token, ROOM));
  return html`<heat-map
    bare
    .values=${scene.heads[head] ?? []}
    .rows=${scene.queries.length}
    .columns=${scene.keys.length}
    .rowLabels=${labels(scene.queries)}
    .columnLabels=${labels(scene.keys)}
    .labelStep=${maps.labelStep}
    .mask=${scene.mask}
    .cursor=${maps.pointed}
    low="0"
    high="1"
    origin="1"
    ?pickable=${isSmall}
    pick-help=${words.text('tokens.pickHelp')}
    label=${words.text('tokens.mapLabel', { head: head + 1, kind: kindOf(head, words) })}
    row-name=${words.text('query')}
    column-name=${words.text('key')}
    @cell-change=${onCell(maps.point)}
    @cell-pick=${onCell(() => maps.pick(head + 1))}
  ></heat-map>`;
}
