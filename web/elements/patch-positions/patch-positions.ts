import { html, type TemplateResult } from 'lit';
import { load } from 'wasm-attention';
import type { VisionModel } from 'wasm-attention/models';
import { GRID, PATCHES, pictureOf } from '../../training/index.js';
import { toggle } from '../shared/controls/controls.js';
import { pointerIn } from '../shared/controls/pointer-in.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { moveCursor, type Cell } from '../shared/heat-map/cursor.js';
import '../shared/heat-map/heat-map.js';
import { frameStyles } from '../shared/heat-map/marks.js';
import '../shared/heat-map/ramp-legend.js';
import { nextTokens, nextTokensStyles } from '../shared/next-tokens.js';
import { flag, whole } from '../shared/settings.js';
import { patchCode } from './code.js';
import { frame, grid, quarters, VIEW_BOX } from './drawing.js';
import { answerOf, orderOf, patchScene, rowOf, type Scene } from './scene.js';
import { patchStyles } from './styles.js';
import { CIRCLES, type CircleWords } from './words/circle-words.js';
import { answerText, attentionText, longestReason, markedText, placeText, reasonText } from './words/remarks.js';

const LAST_SEED = 9999;
/** The numbers of the rows. Maps show every second one, because on narrow pages all of them would touch. */
const ROWS = Array.from({ length: GRID }, (_, row) => String(row + 1));

const settings = {
  /** Whether the model knows where its patches are. */
  positions: flag(true),
  /** Seed of the order of the patches; 0 is the original one. */
  order: whole(0, 0, LAST_SEED),
  /** The patch whose attention is shown, by its number in the original order. */
  patch: whole(2, 1, PATCHES),
  /** Seed of the picture. */
  seed: whole(24, 1, LAST_SEED),
};

/**
 * `<patch-positions>`: a small vision transformer counts circles, whose quarters lie in different patches. Without
 * positions all orders of the patches are the same to it: shuffling them changes neither its answer nor its weights.
 */
export class PatchPositions extends figureWith(settings) {
  static override readonly texts = [CIRCLES];
  static override styles = [nextTokensStyles, frameStyles, patchStyles];

  declare protected readonly words: CircleWords;
  #models: Readonly<Record<'yes' | 'no', VisionModel>> | undefined;
  #shown: { readonly key: string; readonly scene: Scene } | undefined;
  /** Whether the last change was of the patch alone. */
  #isLooking = false;

  protected override async prepare(): Promise<void> {
    const [attention, { openModel }, { filesOf }] = await Promise.all([
      load(),
      import('wasm-attention/models'),
      import('./model-files.js'),
    ]);
    const open = (positions: boolean) => openModel<VisionModel>({ ...filesOf(positions), attention });
    this.#models = { yes: await open(true), no: await open(false) };
  }

  override change(settings: Readonly<Record<string, unknown>>): void {
    this.#isLooking = Object.keys(settings).join() === 'patch';
    super.change(settings);
  }

  /** What the model answers and why, and which patch attends to what; first what has changed. */
  protected override sentence(): string {
    const { words } = this;
    const scene = this.#scene();
    const answer = [markedText(words, scene), this.#reason(scene)];
    const patch = [placeText(words, scene, this.#place), attentionText(words, scene, this.#place)];
    return (this.#isLooking ? [...patch, ...answer] : [...answer, ...patch]).join(' ');
  }

  protected override outcome(): string {
    const { sight } = this.#scene();
    const answer = answerOf(sight);
    return `${this.words.number(answer)} (${this.words.percent(sight.shares[answer]!, 1)})`;
  }

  #reason(scene: Scene): string {
    return reasonText(this.words, scene, this.positions, this.order > 0);
  }

  protected override renderFigure(): TemplateResult {
    const { words } = this;
    const scene = this.#scene();
    const { sight } = scene;
    const answer = answerText(words, scene);
    return html`
      <div class="board">
        ${this.#picture(scene)}
        <div>
          <div class="maps">${sight.heads.map((_, head) => this.#map(scene, head))}</div>
          <ramp-legend low="0" .high=${highOf(scene)}></ramp-legend>
        </div>
        <div>
          <p class="name">${answer}</p>
          ${nextTokens(
            answer,
            sight.shares.map((share, circles) => ({ name: words.number(circles), share })),
            words,
          )}
          ${this.line(longestReason(words), this.#reason(scene))}
          ${this.line(words.text('circles.own', { head: 1, share: '100 %' }), attentionText(words, scene, this.#place))}
        </div>
      </div>
      ${this.#controls()}
    `;
  }

  /** The picture, in which the reader points at patches. */
  #picture({ picture, order }: Scene): TemplateResult {
    const { words } = this;
    const place = this.#place;
    const choose = ({ row, column }: Cell): void => {
      const patch = order[row * GRID + column]! + 1;
      if (patch !== this.patch) this.change({ patch });
    };
    const onPoint = (event: PointerEvent): void => {
      const { x, y } = pointerIn(event);
      const side = (event.currentTarget as HTMLElement).offsetWidth / GRID;
      const [row, column] = [Math.floor(y / side), Math.floor(x / side)];
      if (row >= 0 && column >= 0 && row < GRID && column < GRID) choose({ row, column });
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.metaKey) return;
      const from = { row: Math.floor(place / GRID), column: place % GRID };
      const to = moveCursor(from, event.key, event.ctrlKey, GRID, GRID);
      if (to === undefined) return;
      event.preventDefault();
      choose(to);
    };
    return html`<div
        class="picture"
        role="application"
        tabindex="0"
        aria-label=${words.text('circles.label', { count: GRID })}
        aria-describedby="help"
        @pointermove=${onPoint}
        @pointerdown=${onPoint}
        @keydown=${onKey}
      >
        <svg viewBox=${VIEW_BOX} aria-hidden="true">${grid()}${quarters(picture)}${frame(place)}</svg>
      </div>
      <span id="help" hidden>${words.text('map.help')}</span>`;
  }

  /** What the chosen patch attends to in a head, over the picture. */
  #map(scene: Scene, head: number): TemplateResult {
    const { words } = this;
    const { picture, sight } = scene;
    const place = this.#place;
    return html`<div>
      <p class="map-title" aria-hidden="true">${words.text('heads.head', { head: head + 1 })}</p>
      <heat-map
        bare
        tell
        .values=${rowOf(sight.heads[head]!, place)}
        .rows=${GRID}
        .columns=${GRID}
        .marked=${[{ row: Math.floor(place / GRID), column: place % GRID }]}
        low="0"
        .high=${highOf(scene)}
        origin="1"
        .rowLabels=${ROWS}
        label-step="2"
        label=${words.text('heads.head', { head: head + 1 })}
        row-name=${words.text('row')}
        column-name=${words.text('column')}
        ><svg slot="over" viewBox=${VIEW_BOX} aria-hidden="true">${quarters(picture)}</svg></heat-map
      >
    </div>`;
  }

  #controls(): TemplateResult {
    const { words } = this;
    const next = (seed: number): number => (seed % LAST_SEED) + 1;
    return html`<div class="controls">
      <div class="switches">
        <button type="button" @click=${() => this.change({ order: next(this.order) })}>
          ${words.text('permute.shuffle')}
        </button>
        <button type="button" @click=${() => this.change({ order: 0 })}>${words.text('permute.restore')}</button>
        ${toggle(words.text('permute.positions'), this.positions, (positions) => this.change({ positions }))}
        <button type="button" @click=${() => this.change({ seed: next(this.seed), order: 0 })}>
          ${words.text('circles.another')}
        </button>
      </div>
    </div>`;
  }

  /** Where the chosen patch lies. */
  get #place(): number {
    return this.#scene().order.indexOf(this.patch - 1);
  }

  /** What the settings show. */
  #scene(): Scene {
    const { positions, order, seed } = this;
    const key = `${positions} ${order} ${seed}`;
    if (this.#shown?.key !== key) {
      const model = this.#models![positions ? 'yes' : 'no'];
      this.#shown = { key, scene: patchScene(model, pictureOf(seed), orderOf(order)) };
    }
    return this.#shown.scene;
  }

  protected override data(): FigureData {
    const { words } = this;
    const { order, sight } = this.#scene();
    const rows = sight.heads.map((head) => rowOf(head, this.#place));
    return {
      columns: [
        words.text('row'),
        words.text('column'),
        ...rows.map((_, head) => words.text('heads.head', { head: head + 1 })),
      ],
      heads: 2,
      rows: order.map((_, place) => [
        Math.floor(place / GRID) + 1,
        (place % GRID) + 1,
        ...rows.map((row) => row[place]!),
      ]),
    };
  }

  protected override code(): FigureCode {
    return patchCode(this.#scene().picture, this.positions, this.#place);
  }
}

/** The end of the ramp: the largest weight, rounded up. */
function highOf({ sight }: Scene): number {
  return Math.ceil(100 * Math.max(...sight.heads.map((head) => Math.max(...head)))) / 100;
}

defineFigure('patch-positions', PatchPositions);
