import { html, nothing, svg, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { pointSliders } from '../shared/controls/point-sliders.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import { flag, real, several, whole } from '../shared/settings.js';
import { chainStyles } from './chain-styles.js';
import { chain, lookupData, pairText, shownText } from './chain.js';
import { lookupCode } from './code.js';
import { planeStyles } from './plane-styles.js';
import { arrow, plane, pointed, ringMark, SIDE, toPicture, type Handle, type PlaneEvents } from './plane.js';
import {
  isIn,
  lookUp,
  nudged,
  pointsOf,
  REACH,
  ringAt,
  RINGS,
  snapped,
  STEP,
  type Lookup,
  type Point,
  type Ring,
  type Scene,
} from './scene.js';

/** Keys, or values. */
const COUNT = 3;
const SHAPES = ['circle', 'square', 'triangle'] as const;
const SUBSCRIPTS = ['₁', '₂', '₃'] as const;
/** What takes most letters to say. */
const LONGEST: Pick<Lookup, 'weights' | 'mixture'> = { weights: [0.33, 0.33, 0.33], mixture: [-1.11, -1.11] };

const coordinate = real(0, -REACH, REACH);
const settings = {
  /** The query's two coordinates. */
  query: several([1.6, 1.4], coordinate, { least: 2, most: 2 }),
  /** The three keys' coordinates, x and y in turn. */
  keys: several([1.4, 0.2, -0.4, 1.8, -1, -1.2], coordinate, { least: 2 * COUNT, most: 2 * COUNT }),
  /** The three values' coordinates. */
  values: several([2.2, -1, -0.2, 2.2, -2.2, -1.2], coordinate, { least: 2 * COUNT, most: 2 * COUNT }),
  /** How many keys are valid. */
  valid: whole(COUNT, 0, COUNT),
  /** Divides the scores. */
  temperature: real(1, 0.1, 4),
  /** Whether there are goals. */
  goals: flag(true),
};

const GOALS = {
  corner: ['lookup.goalCorner', 'lookup.whyCorner'],
  edge: ['lookup.goalEdge', 'lookup.whyEdge'],
  centre: ['lookup.goalCentre', 'lookup.whyCentre'],
  outside: ['lookup.goalOutside', 'lookup.whyOutside'],
} as const;

/**
 * `<attention-lookup>`: a query and three keys as points of a plane, their values as points of another. While the
 * reader moves the points, it shows the query's scores with the keys, their softmax, and the values' mixture.
 */
export class AttentionLookup extends figureWith(settings) {
  static override styles = [planeStyles, chainStyles, goalStyles];
  static override properties = { held: { state: true } };

  /** The point that a click on the plane moves. */
  declare protected held: string;
  readonly #goals = new Goals(this);

  constructor() {
    super();
    this.held = 'q';
  }

  get #scene(): Scene {
    const [query = [0, 0]] = pointsOf(this.query);
    const { valid, temperature } = this;
    return { query, keys: pointsOf(this.keys), values: pointsOf(this.values), valid, temperature };
  }

  /** The first goal that is left. */
  get #ring(): Ring | undefined {
    return this.goals ? (Object.keys(RINGS) as Ring[]).find((ring) => !this.#goals.has(ring)) : undefined;
  }

  #hunts(scene: Scene, found: Lookup): Record<Ring, Winnable> {
    const { words } = this;
    const weight = words.number(RINGS.outside[2]);
    const goal = (ring: Ring): Winnable => ({
      text: words.text(GOALS[ring][0]),
      // The query begins where the last goal leads.
      won: isIn(ring, scene, found) && (ring !== 'outside' || ring === this.#ring),
      why: words.text(GOALS[ring][1], { weight }),
    });
    return { corner: goal('corner'), edge: goal('edge'), centre: goal('centre'), outside: goal('outside') };
  }

  override change(settings: Readonly<Record<string, unknown>>): void {
    super.change(settings);
    const { library } = this;
    if (library !== undefined)
      this.say(...this.#goals.win(this.words, this.#hunts(this.#scene, lookUp(library, this.#scene))));
  }

  protected readonly letters = new Width(this, '.plane', SIDE);

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const scene = this.#scene;
    const found = lookUp(library, scene);
    return html`
      <div class="scene">
        <div class="side" @click=${(event: MouseEvent) => this.#place(event, /^[qk]/)}>
          <p>${words.text('lookup.keysPlane')}</p>
          ${this.#keyPlane(scene)} ${this.#sliders(['q', 'k0', 'k1', 'k2'])}
        </div>
        ${chain(words, scene, found)}
        <div class="side" @click=${(event: MouseEvent) => this.#place(event, /^v/)}>
          <p>${words.text('lookup.valuesPlane')}</p>
          ${this.#valuePlane(scene, found)} ${this.#sliders(['v0', 'v1', 'v2'])}
        </div>
      </div>
      <span id="help" hidden>${words.text('lookup.help')}</span>
      ${this.line(shownText(words, { ...scene, valid: COUNT, temperature: 0.5 }, LONGEST))}
      <p class="remark">${words.text('lookup.remark')}</p>
      <div class="controls">
        ${this.slider('temperature', words.text('lookup.temperature'), { step: 0.1 })}
        ${this.slider('valid', words.text('lookup.valid'))}
      </div>
      ${this.goals ? this.#goals.list(words, this.#hunts(scene, found)) : nothing}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    return shownText(this.words, this.#scene, lookUp(library, this.#scene));
  }

  protected override outcome(library: WasmAttention): string {
    return `y ${pairText(this.words, lookUp(library, this.#scene).mixture, 2)}`;
  }

  #keyPlane({ query, keys }: Scene): TemplateResult {
    const masked = (i: number): string => (i < this.valid ? '' : ' masked');
    const behind = [...keys.map((key, i) => arrow(key, `series-${i}${masked(i)}`)), arrow(query, 'query')];
    const handles = [
      ...keys.map((at, i) => this.#handle('k', i, at, `series-${i}${masked(i)}`)),
      this.#handle('q', undefined, query, 'query'),
    ];
    return html`${plane(this.words.text('lookup.keysPlane'), handles, behind, this.#events)}`;
  }

  #valuePlane({ values }: Scene, { weights, mixture }: Lookup): TemplateResult {
    const [x, y] = toPicture(mixture);
    const pull = (value: Point, i: number): TemplateResult => {
      const [x2, y2] = toPicture(value);
      return svg`<line class="pull series-${i}" x1=${x} y1=${y} x2=${x2} y2=${y2} stroke-width=${10 * (weights[i] ?? 0)} />`;
    };
    const spoken = `${this.words.text('lookup.mixture')} ${pairText(this.words, mixture, 2)}`;
    const behind = svg`<polygon class="hull" points=${values.map((value) => toPicture(value).join()).join(' ')} />
      ${values.map(pull)}${this.#ring === undefined ? nothing : ringMark(ringAt(this.#ring, values))}`;
    const handles = values.map((at, i) => this.#handle('v', i, at, `series-${i}${i < this.valid ? '' : ' masked'}`));
    return html`${plane(this.words.text('lookup.valuesPlane'), handles, behind, this.#events, { label: 'y', spoken, at: mixture })}`;
  }

  #sliders(names: readonly string[]): TemplateResult[] {
    const number = (value: number): string => this.words.number(value, 1);
    return names.map((name) =>
      pointSliders({
        name: this.#name(name),
        at: this.#at(name),
        reach: REACH,
        step: STEP,
        number,
        move: (to) => this.#move(name, to),
      }),
    );
  }

  /** A point's accessible name. */
  #name(point: string): string {
    const what = this.words.text(({ q: 'query', k: 'key', v: 'lookup.value' } as const)[point[0] as 'q' | 'k' | 'v']);
    return `${what} ${labelOf(point)}`;
  }

  #handle(kind: 'q' | 'k' | 'v', i: number | undefined, at: Point, className: string): Handle {
    const { words } = this;
    const name = i === undefined ? kind : `${kind}${i}`;
    return {
      name,
      label: labelOf(name),
      at,
      spoken: this.#name(name),
      place: pairText(words, at, 1),
      shape: i === undefined ? 'query' : (SHAPES[i] ?? 'circle'),
      className: `${className}${name === this.held ? ' held' : ''}`,
      // Until the reader has moved it.
      inviting: name === 'q' && String(this.query) === String(this.firstSettings.query),
    };
  }

  readonly #events: PlaneEvents = {
    hold: (name) => (this.held = name),
    move: (name, to) => this.#move(name, snapped(to)),
    key: (name, event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const to = nudged(this.#at(name), event.key, event.shiftKey);
      if (to === undefined) return;
      event.preventDefault();
      this.#move(name, to);
    },
  };

  /** A click beside the points moves the held point there, so that no point has to be dragged. */
  #place(event: MouseEvent, movable: RegExp): void {
    const target = event.target as Element;
    const picture = target.closest<SVGSVGElement>('.plane');
    if (picture === null || target.closest('.handle') !== null || !movable.test(this.held)) return;
    this.#move(this.held, snapped(pointed(event, picture)));
  }

  #at(name: string): Point {
    const { query, keys, values } = this.#scene;
    const points = { q: [query], k: keys, v: values }[name[0] as 'q' | 'k' | 'v'];
    return points[Number(name.slice(1))] ?? [0, 0];
  }

  #move(name: string, to: Point): void {
    const [x, y] = this.#at(name);
    if (x === to[0] && y === to[1]) return;
    const list = ({ q: 'query', k: 'keys', v: 'values' } as const)[name[0] as 'q' | 'k' | 'v'];
    const start = 2 * Number(name.slice(1));
    this.change({ [list]: this[list].map((old, i) => to[i - start] ?? old) });
  }

  protected override data(library: WasmAttention): FigureData {
    return lookupData(this.words, this.#scene, lookUp(library, this.#scene));
  }

  protected override code(): FigureCode {
    return lookupCode(this.#scene);
  }
}

/** The label of a point: `q`, `k₁`. */
function labelOf(point: string): string {
  return `${point[0]}${SUBSCRIPTS[Number(point[1])] ?? ''}`;
}

defineFigure('attention-lookup', AttentionLookup);
