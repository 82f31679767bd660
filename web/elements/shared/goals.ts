import { css, html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import type { Localised } from './localised.js';

/** Where the browser keeps the goals that the reader has reached, and what a document fires when they change. */
const STORE = 'wasm-attention goals';
const CHANGED = 'goals-change';

let reached: ReadonlySet<string> | undefined;

/** The goals that the reader has reached in any figure, each `tag.goal`, as far as the browser keeps them. */
export function reachedGoals(): ReadonlySet<string> {
  if (reached === undefined) {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? '[]');
      reached = new Set([stored].flat().filter((goal) => typeof goal === 'string'));
    } catch {
      // The page may not store anything, or somebody else has.
      reached = new Set();
    }
  }
  return reached;
}

function keep(goals: ReadonlySet<string>): void {
  reached = goals;
  try {
    localStorage.setItem(STORE, JSON.stringify([...goals]));
  } catch {
    // They last until the page is left.
  }
  document.dispatchEvent(new Event(CHANGED));
}

/** A goal as the list shows it. */
interface Goal {
  readonly text: string;
  /** How far the reader is. */
  readonly state?: string;
}

/** A goal that the figure's settings can win. */
export interface Winnable extends Goal {
  readonly won: boolean;
  /** What winning it teaches, which then stands in place of the state. */
  readonly why: string;
}

/**
 * The goals of a figure, which is redrawn when the reader reaches one or forgets all. A teacher who asks shows what
 * each teaches: `goals-answers` with `detail` true shows it, with false hides it. The event is cancelled if it shows
 * anything new.
 */
export class Goals implements ReactiveController {
  #isAnswered = false;
  /** Whether a goal is open that teaches something. */
  #hasAnswers = false;

  constructor(private readonly figure: ReactiveControllerHost & HTMLElement) {
    figure.addController(this);
  }

  readonly #changed = (): void => this.figure.requestUpdate();

  readonly #answer = (event: Event): void => {
    const { detail } = event as CustomEvent<boolean>;
    if (detail && !this.#isAnswered && this.#hasAnswers) event.preventDefault();
    this.#isAnswered = detail;
    this.#changed();
  };

  hostConnected(): void {
    document.addEventListener(CHANGED, this.#changed);
    this.figure.addEventListener('goals-answers', this.#answer);
  }

  hostDisconnected(): void {
    document.removeEventListener(CHANGED, this.#changed);
    this.figure.removeEventListener('goals-answers', this.#answer);
  }

  has(goal: string): boolean {
    return reachedGoals().has(this.#name(goal));
  }

  reach(goal: string): void {
    if (!this.has(goal)) keep(new Set([...reachedGoals(), this.#name(goal)]));
  }

  /** The least number n of the goals `name-n` that are reached. */
  least(name: string): number | undefined {
    const start = this.#name(`${name}-`);
    const numbers = [...reachedGoals()]
      .filter((goal) => goal.startsWith(start))
      .map((goal) => Number(goal.slice(start.length)));
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  forget(): void {
    const all = [...reachedGoals()];
    keep(new Set(all.filter((goal) => !goal.startsWith(this.#name('')))));
  }

  /** Ticks the goals that are won, and returns what to say about each. */
  win(words: Localised, goals: Readonly<Record<string, Winnable>>): string[] {
    return Object.entries(goals).flatMap(([goal, { text, won, why }]) => {
      if (!won || this.has(goal)) return [];
      this.reach(goal);
      return [`${words.text('goals.reached')}: ${text} ${why}`];
    });
  }

  /** The goals with a tick at those that are reached. */
  list(words: Localised, goals: Readonly<Record<string, Goal | Winnable>>): TemplateResult {
    const item = ([goal, given]: readonly [string, Goal | Winnable]): TemplateResult => {
      const has = this.has(goal);
      const { text } = given;
      const state = (has || this.#isAnswered) && 'why' in given ? given.why : given.state;
      return html`<li class=${has ? 'reached' : ''}>
        <span class="tick" role="img" aria-label=${words.text(has ? 'goals.reached' : 'goals.open')}></span>
        <span>${text}${state === undefined ? nothing : html` <span class="state">${state}</span>`}</span>
      </li>`;
    };
    const names = Object.keys(goals);
    this.#hasAnswers = names.some((goal) => 'why' in goals[goal]! && !this.has(goal));
    return html`<div class="goals controls placed" data-control role="group" aria-label=${words.text('goals.name')}>
      <ul>
        ${Object.entries(goals).map(item)}
      </ul>
      ${
        names.some((goal) => this.has(goal))
          ? html`<button type="button" @click=${() => this.forget()}>${words.text('goals.forget')}</button>`
          : nothing
      }
    </div>`;
  }

  #name(goal: string): string {
    return `${this.figure.localName}.${goal}`;
  }
}

export const goalStyles = css`
  .goals.controls {
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5rem;
  }
  .goals ul {
    display: grid;
    gap: 0.25rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .goals li {
    display: grid;
    grid-template-columns: 1.25rem minmax(0, 1fr);
    gap: 0.4rem;
  }
  .goals .tick {
    box-sizing: border-box;
    width: 1.125rem;
    height: 1.125rem;
    margin-top: 0.1rem;
    border: 1.5px solid var(--_track);
    border-radius: 50%;
    color: var(--_paper);
    font-size: 0.75rem;
    font-weight: 700;
    line-height: 1.125rem;
    text-align: center;
  }
  .goals .reached .tick {
    border: 0;
    background: var(--_series-2);
  }
  .goals .reached .tick::before {
    content: '✓';
  }
  .goals .state {
    color: var(--_quiet);
  }
  .goals button {
    justify-self: start;
  }
`;
