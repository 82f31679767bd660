import { html, type TemplateResult } from 'lit';
import { ALONG, rove } from '../shared/controls/rove.js';
import { HEADS, LAYERS } from './settings.js';
import type { TellerWords } from './words.js';

/** All heads of the model. */
export interface HeadGrid {
  /** Silenced heads, each `layer.head`. */
  readonly silent: readonly string[];
  /** The head whose looks are drawn. */
  readonly layer: number;
  readonly head: number;
  /** How much a head gives to the word that it looks at most, from 0 to 1. */
  readonly strength: (layer: number, head: number) => number;
  readonly onShow: (layer: number, head: number) => void;
  /** Silences these heads, and no others. */
  readonly onSilence: (silent: readonly string[]) => void;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/**
 * A row of heads for each layer. Pointing at a head shows its looks, and a click on the one that is shown silences it; a
 * layer's number silences all of its heads, or none.
 */
export function headGrid(words: TellerWords, grid: HeadGrid): TemplateResult {
  const { silent, layer: shownLayer, head: shownHead } = grid;
  const cell = (layer: number, head: number): TemplateResult => {
    const isShown = layer === shownLayer && head === shownHead;
    const name = `${layer}.${head}`;
    const isSilent = silent.includes(name);
    const onClick = (): void => {
      if (!isShown) grid.onShow(layer, head);
      else grid.onSilence(isSilent ? silent.filter((each) => each !== name) : [...silent, name].sort());
    };
    // A finger enters when it taps.
    const onEnter = ({ pointerType }: PointerEvent): void => {
      if (pointerType !== 'touch') grid.onShow(layer, head);
    };
    return html`<button
      type="button"
      class=${isSilent ? 'head silent' : 'head'}
      aria-pressed=${isSilent}
      aria-current=${isShown}
      aria-label=${words.text('viewer.head', { layer, head })}
      title=${words.text('viewer.head', { layer, head })}
      tabindex=${isShown ? 0 : -1}
      @click=${onClick}
      @pointerenter=${onEnter}
    >
      <svg><rect width="100%" height="100%" fill-opacity=${grid.strength(layer, head).toFixed(2)} /></svg>
    </button>`;
  };
  const row = (layer: number): TemplateResult => {
    const all = numbers(HEADS).map((head) => `${layer}.${head}`);
    const others = silent.filter((name) => !all.includes(name));
    const isSilent = silent.length - others.length === HEADS;
    return html`<button
        type="button"
        class="layer"
        aria-pressed=${isSilent}
        data-layer=${layer}
        aria-label=${words.text('story.layer', { layer })}
        tabindex=${layer === shownLayer ? 0 : -1}
        title=${words.text('story.layer', { layer })}
        @click=${() => grid.onSilence(isSilent ? others : [...others, ...all].sort())}
      ></button
      >${numbers(HEADS).map((head) => cell(layer, head))}`;
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps = { ...ALONG, ArrowUp: -HEADS, ArrowDown: HEADS };
    rove(event, '.head', steps, (place) => grid.onShow(Math.floor(place / HEADS) + 1, (place % HEADS) + 1));
    rove(event, '.layer', ALONG, (place) => grid.onShow(place + 1, shownHead));
  };
  return html`<div
    class="grid"
    data-control
    role="group"
    aria-label=${words.text('viewer.overview', { layers: LAYERS, heads: HEADS })}
    @keydown=${onKey}
  >
    ${numbers(LAYERS).map(row)}
  </div>`;
}
