import { html, nothing, type TemplateResult } from 'lit';
import { ALONG, rove } from '../shared/controls/rove.js';
import { HEADS, LAYERS } from './settings.js';
import { bar, reachOf, stripes, type Stripes } from './stripes.js';
import { described, isLit, named, type FollowSymbol, type FollowWords, type Pointed, type Scene } from './symbols.js';
import { candidatesOf, type Candidate } from './trace.js';

/** How many candidates for the next token are shown. */
const CANDIDATES = 5;
/** The least range of scores to both sides of zero. */
const LEAST_REACH = 8;

type Step = 1 | 2 | 3 | 4 | 5 | 6;

/** What the picture shows, and what the reader can do with it. */
export interface Picture {
  readonly words: FollowWords;
  readonly scene: Scene;
  readonly pointed: Pointed | undefined;
  /** The step whose text the reader reads. */
  readonly step: number;
  /** The key whose bar is a tab stop. */
  readonly held: number;
  /** Whether another token fits. */
  readonly canContinue: boolean;
  /** The line below the sentence, and the slider of the temperature. */
  readonly line: TemplateResult;
  readonly temperature: TemplateResult;
  readonly point: (pointed: Pointed | undefined) => void;
  /** Says to screen readers what a symbol denotes. */
  readonly tell: (pointed: Pointed) => void;
  /** Shows a step; and leads to its text. */
  readonly look: (step: number) => void;
  readonly read: (step: number) => void;
  readonly follow: (word: number) => void;
  readonly choose: (layer: number, head: number) => void;
  readonly hold: (key: number) => void;
  readonly move: (key: number, score: number) => void;
  readonly putBack: () => void;
  /** Goes on with a token, or without one, with one by chance. */
  readonly go: (token?: number) => void;
}

/** The six steps from a word to the next token. */
export function picture(shown: Picture): TemplateResult {
  const { now, word, head } = shown.scene;
  const { input, query, key, keys, values, joined, output } = now;
  const value = values[word - 1]!;
  const framed = [(head - 1) * value.length, value.length] as const;
  const vector = (symbol: FollowSymbol, drawn: Stripes, at?: number): TemplateResult =>
    html`<div class="vector">
      <b aria-hidden="true">${symbol === 'm' ? 'z₁…z₈' : symbol}</b>${part(shown, symbol, stripes(drawn), at)}
    </div>`;
  const step = (steps: readonly Step[], kind: string, content: TemplateResult): TemplateResult =>
    html`<div class=${steps.some((each) => each === shown.step) ? `${kind} shown` : kind}>${content}</div>`;
  // The numbers of the steps are one tab stop.
  const onKey = (event: KeyboardEvent): void => rove(event, '.badge', ALONG, (at) => shown.look(at + 1));
  return html`
    ${sentence(shown)}
    <div class="numbers" @keydown=${onKey}>${([1, 2, 3, 4, 5, 6] as const).map((number) => badge(shown, number))}</div>
    ${shown.line}
    <div class="parts" @keydown=${onKey}>
      ${step([1], 'part', html`${badge(shown, 1)} ${vector('x', { values: input, reach: reachOf(input) })}`)}
      ${step(
        [2],
        'part roles',
        html`${badge(shown, 2)} ${heads(shown)}
          <div class="vectors">
            ${vector('q', { values: query.after, outlined: query.before, reach: reachOf(query.before, query.after) })}
            ${vector('k', { values: key.after, outlined: key.before, reach: reachOf(key.before, ...keys) }, word)}
            ${vector('v', { values: value, reach: reachOf(...values) }, word)}
          </div>`,
      )}
      ${step([3, 4, 5], '', table(shown))}
      ${step(
        [6],
        'part last',
        html`${badge(shown, 6)}
          <div class="vectors">
            ${vector('m', { values: joined, reach: reachOf(joined), framed })}
            ${vector('o', { values: output, reach: reachOf(output) })} ${shown.temperature}
          </div>
          ${next(shown)}`,
      )}
    </div>
  `;
}

/** The number of a step, which leads to its text. */
function badge({ words, step, read }: Picture, number: Step): TemplateResult {
  const title = words.text(`follow.title${number}`);
  return html`<button
    type="button"
    data-picture
    class="badge"
    aria-current=${step === number ? 'step' : nothing}
    tabindex=${step === number ? 0 : -1}
    aria-label=${words.text('follow.step', { step: number, title })}
    @click=${() => read(number)}
  >
    ${number}
  </button>`;
}

/** A radio button that is part of the picture. */
function radio(
  content: string | TemplateResult,
  checked: boolean,
  choose: () => void,
  { name, kind = '', language }: { readonly name?: string; readonly kind?: string; readonly language?: string },
): TemplateResult {
  return html`<button
    type="button"
    data-picture
    role="radio"
    class=${kind}
    lang=${language ?? nothing}
    aria-label=${name ?? nothing}
    title=${name ?? nothing}
    aria-checked=${checked}
    tabindex=${checked ? 0 : -1}
    @click=${choose}
  >
    ${content}
  </button>`;
}

/** The words; pieces of one word are joined. */
function sentence({ words, scene: { names, word, tokens, joined }, follow }: Picture): TemplateResult {
  return html`<div
    class="sentence"
    role="radiogroup"
    aria-label=${words.text('follow.word')}
    @keydown=${(event: KeyboardEvent) => rove(event, 'button', ALONG, (at) => follow(at + 1))}
  >
    ${tokens.map((token, at) =>
      radio(names[at]!, at + 1 === word, () => follow(at + 1), {
        kind: at > 0 && joined(token) ? 'joined' : '',
        ...(at > 0 && { language: 'en' }),
      }),
    )}
  </div>`;
}

/** A part of the picture that a symbol denotes. */
function part(shown: Picture, symbol: FollowSymbol, content: TemplateResult, key?: number): TemplateResult {
  const { words, scene, pointed, point } = shown;
  const at = ({ currentTarget, offsetX }: PointerEvent): void => {
    const { clientWidth } = currentTarget as Element;
    point({ symbol, key, place: offsetX / clientWidth });
  };
  return html`<span
    class=${isLit(pointed, symbol, key) ? `${symbol} lit` : symbol}
    role="img"
    aria-label=${described(words, scene, { symbol, key })}
    @pointermove=${at}
    @pointerdown=${at}
    @pointerleave=${({ pointerType }: PointerEvent) => pointerType === 'mouse' && point(undefined)}
    >${content}</span
  >`;
}

/** All heads, each with the word's weights. */
function heads({ words, scene, choose }: Picture): TemplateResult {
  const { tokens, names, word, layer, head, plain } = scene;
  const go = (place: number): void => choose(Math.floor(place / HEADS) + 1, (place % HEADS) + 1);
  const button = (_: unknown, place: number): TemplateResult => {
    const [ofLayer, ofHead] = [Math.floor(place / HEADS) + 1, (place % HEADS) + 1];
    const from = ((ofHead - 1) * tokens.length + word - 1) * tokens.length;
    const weights = plain.maps[ofLayer - 1]!.subarray(from, from + tokens.length);
    const most = Math.max(...weights);
    const name = words.text('follow.looks', {
      layer: ofLayer,
      head: ofHead,
      word: names[weights.indexOf(most)]!,
      weight: words.percent(most, 0),
    });
    const drawn = stripes({ values: weights, reach: 1, positive: true });
    return radio(drawn, ofLayer === layer && ofHead === head, () => go(place), { name });
  };
  const steps = { ...ALONG, ArrowUp: -HEADS, ArrowDown: HEADS };
  return html`<div class="heads">
    <p>${words.text('viewer.head', { layer, head })}</p>
    <div
      role="radiogroup"
      aria-label=${words.text('viewer.overview', { layers: LAYERS, heads: HEADS })}
      @keydown=${(event: KeyboardEvent) => rove(event, 'button', steps, go)}
    >
      ${Array.from({ length: LAYERS * HEADS }, button)}
    </div>
  </div>`;
}

/** A row for each word: its key, its score as a bar to drag, its weight, and its value times the weight. */
function table(shown: Picture): TemplateResult {
  const { words, scene, hold, putBack } = shown;
  const { names, now, plain, word } = scene;
  const [keyReach, valueReach] = [reachOf(...now.keys), reachOf(...now.values)];
  const reach = Math.max(LEAST_REACH, Math.ceil(1.25 * reachOf(plain.scores)));
  const row = (name: string, at: number): TemplateResult => {
    const key = at + 1;
    const outlined = now.values[at]!;
    const [weight, before] = [now.weights[at] ?? 0, plain.weights[at] ?? 0];
    const share = html`<span class="with-number"
      >${bar(0, 100 * weight, 100 * before)}<span aria-hidden="true">${words.percent(weight, 0)}</span></span
    >`;
    return html`<tr class=${key > word ? 'masked' : key === word ? 'own' : ''}>
      <th scope="row" lang=${at === 0 ? nothing : 'en'}>${name}</th>
      <td>${part(shown, 'k', stripes({ values: now.keys[at]!, reach: keyReach }), key)}</td>
      ${
        key > word
          ? html`<td colspan="2">${words.text('masks.keyHidden')}</td>`
          : html`<td>${scoreBar(shown, key, reach)}</td>
              <td>${part(shown, 'a', share, key)}</td>`
      }
      <td>
        ${part(shown, 'v', stripes({ values: outlined.map((x) => x * weight), outlined, reach: valueReach }), key)}
      </td>
    </tr>`;
  };
  const product = html`<i>α</i><sub>j</sub><b>v</b><sub>j</sub>`;
  return html`<span id="bars" hidden>${words.text('follow.barHelp')}</span>
    <table
      class="rows"
      aria-label=${words.text('follow.title3')}
      @keydown=${(event: KeyboardEvent) => rove(event, 'input', { ArrowUp: -1, ArrowDown: 1 }, (at) => hold(at + 1))}
    >
      <colgroup>
        <col class="word" />
        <col class="small" />
        <col />
        <col class="share" />
        <col class="small" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">${words.text('key')}</th>
          <th scope="col"><b>k</b><sub>j</sub></th>
          <th scope="col">${badge(shown, 3)} <i>s</i><sub>j</sub></th>
          <th scope="col">${badge(shown, 4)} <i>α</i><sub>j</sub></th>
          <th scope="col">${badge(shown, 5)} ${product}</th>
        </tr>
      </thead>
      <tbody>
        ${names.map(row)}
      </tbody>
      <tfoot>
        <tr>
          <td colspan="4">
            ${
              plain === now
                ? nothing
                : html`<button type="button" @click=${putBack}>${words.text('follow.back')}</button>`
            }<b>z</b> = Σ<sub>j</sub> ${product}
          </td>
          <td>${part(shown, 'z', stripes({ values: now.mixture, reach: valueReach }))}</td>
        </tr>
      </tfoot>
    </table>`;
}

/** A score as a bar from zero in the middle, with a slider at its end. */
function scoreBar(shown: Picture, key: number, reach: number): TemplateResult {
  const { words, scene, held, pointed, point, hold, move } = shown;
  const [score, weight, before] = [scene.now.scores, scene.now.weights, scene.plain.scores].map((all) => all[key - 1]!);
  const place = (value: number): number => 50 + (50 * Math.max(-reach, Math.min(reach, value))) / reach;
  const hasMoved = score !== before;
  const inputOf = ({ target }: Event): HTMLInputElement => target as HTMLInputElement;
  const focus = (): void => {
    hold(key);
    point({ symbol: 's', key });
  };
  return html`<span class=${isLit(pointed, 's', key) ? 'with-number lit' : 'with-number'}
    ><span class=${hasMoved ? 'slider moved' : 'slider'}
      >${bar(50, place(score!), place(before!), 50)}<input
        type="range"
        min=${-reach}
        max=${reach}
        step="0.1"
        .value=${String(score)}
        tabindex=${key === held ? 0 : -1}
        aria-label=${named(words, scene, { symbol: 's', key })}
        aria-describedby="bars"
        aria-valuetext=${words.text('follow.bar', { score: words.number(score!, 1), weight: words.percent(weight!, 0) })}
        @focus=${focus}
        @blur=${() => point(undefined)}
        @pointerdown=${(event: Event) => (inputOf(event).dataset.before = String(score))}
        @pointercancel=${/* The finger scrolls the page. */ (event: Event) => move(key, Number(inputOf(event).dataset.before))}
        @input=${(event: Event) => move(key, inputOf(event).valueAsNumber)} /></span
    ><span aria-hidden="true">${words.number(score!, 1)}</span></span
  >`;
}

/** The most likely next tokens as buttons, each with its probability and a mark where it was. */
function next(shown: Picture): TemplateResult {
  const { words, scene, pointed, point, canContinue, go } = shown;
  const { now, plain, temperature, word, names, nameOf, joined } = scene;
  const [all, others] = [now, plain].map(({ logits }) => candidatesOf(logits, temperature)) as [
    Candidate[],
    Candidate[],
  ];
  const before = new Map(others.map(({ token, share }) => [token, share]));
  const widest = 100 / Math.max(all[0]!.share, others[0]!.share);
  const button = ({ token, share }: Candidate, place: number): TemplateResult =>
    html`<button
      type="button"
      data-picture
      aria-disabled=${!canContinue}
      tabindex=${place === 0 ? 0 : -1}
      @click=${() => go(token)}
    >
      <span lang="en"><span class="before">${names[word - 1]}${joined(token) ? '' : ' '}</span>${nameOf(token)}</span
      >${bar(0, widest * share, widest * before.get(token)!)}<span>${words.percent(share, 1)}</span>
    </button>`;
  return html`<div
    class=${isLit(pointed, 'p') ? 'next lit' : 'next'}
    role="group"
    aria-label=${described(words, scene, { symbol: 'p' })}
    @pointerenter=${() => point({ symbol: 'p' })}
    @pointerleave=${() => point(undefined)}
    @keydown=${(event: KeyboardEvent) => rove(event, 'button', ALONG, () => undefined)}
  >
    ${all.slice(0, CANDIDATES).map(button)}
    <button type="button" class="draw" aria-disabled=${!canContinue} tabindex="-1" @click=${() => go()}>
      ${words.text('follow.draw')}
    </button>
  </div>`;
}
