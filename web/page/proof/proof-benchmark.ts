import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { Localised } from '../../elements/kit.js';
import { changeEntry } from '../history-entry.js';
import { watchScrollers } from '../scrollers.js';
import type { Answer, Order } from './messages.js';
import {
  figuresOf,
  jsonOf,
  readLink,
  rowsOf,
  WORK_NAMES,
  writeLink,
  type Results,
  type Side,
  type Type,
  type Work,
} from './results.js';
import type { Timing } from './timing.js';
import { PROOF, type ProofWords } from './words.js';

type State =
  | { readonly kind: 'ready' | 'fromLink' | 'running' | 'stopped' }
  | { readonly kind: 'done'; readonly seconds: string }
  | { readonly kind: 'failed'; readonly reason: string };

const COLUMNS = ['median', 'rate', 'share', 'timesJavaScript', 'timesOrt'] as const;

/**
 * `<proof-benchmark>`: measures the library on the reader's machine, against JavaScript and an onnxruntime-web whose
 * files the reader gives. It has no shadow root, so that it looks like the page.
 */
export class ProofBenchmark extends LitElement {
  static override properties = {
    state: { state: true },
    progress: { state: true },
    results: { state: true },
    without: { state: true },
  };

  declare protected state: State;
  declare protected progress: number;
  declare protected results: Results;
  /** Why onnxruntime-web is left out. */
  declare protected without: string | undefined;
  readonly #words: ProofWords = new Localised(this, PROOF);
  readonly #threads = globalThis.crossOriginIsolated ? Math.min(64, navigator.hardwareConcurrency || 1) : 1;
  readonly #timings = new Map<string, Timing>();
  /** Whether the reader has given the files of onnxruntime-web. */
  #hasOrt = false;
  #isWatched = false;
  #worker: Worker | undefined;
  #began = 0;

  constructor() {
    super();
    const given = readLink(location.search);
    this.state = { kind: given ? 'fromLink' : 'ready' };
    this.results = given ?? { threads: this.#threads, times: new Map() };
    this.progress = 0;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override updated(): void {
    if (!this.#words.ready || this.#isWatched) return;
    watchScrollers('proof-benchmark .table');
    this.#isWatched = true;
  }

  protected override render(): TemplateResult {
    const { state, without } = this;
    const words = this.#words;
    if (!words.ready) return html``;
    const isRunning = state.kind === 'running';
    return html`<div class="run">
        <button type="button" @click=${() => (isRunning ? this.#end({ kind: 'stopped' }) : this.#start())}>
          ${words.text(isRunning ? 'proof.stop' : 'proof.start')}
        </button>
        <label>
          <span>${words.text('proof.ortFiles')}</span>
          <input type="file" multiple accept=".mjs,.wasm" ?disabled=${isRunning} />
        </label>
      </div>
      <p class="remark">${words.text('proof.ortAbout')}</p>
      <p role="status">
        ${state.kind === 'ready' ? nothing : words.text(`proof.${state.kind}`, { ...state })}
        ${without === undefined ? nothing : words.text('proof.without', { reason: without })}
      </p>
      <progress
        class=${isRunning ? 'running' : ''}
        .value=${this.progress}
        aria-label=${words.text('proof.progress')}
      ></progress>
      ${WORK_NAMES.map((work) => this.#table(work))}
      ${isRunning || this.results.times.size === 0 ? nothing : this.#links()}
      <p class="remark">${words.text('proof.limit')}</p>`;
  }

  #table(work: Work): TemplateResult {
    const words = this.#words;
    const name = words.text(`proof.${work}`);
    return html`<div class="table" role="group" aria-label=${words.text('proof.results', { work: name })}>
      <table>
        <caption>
          <span>${name}</span>
        </caption>
        <thead>
          <tr>
            <td></td>
            ${COLUMNS.map((key) => html`<th scope="col">${words.text(`proof.${key}`)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rowsOf(work).map(
            ([type, side]) =>
              html`<tr>
                <th scope="row">${words.text(`proof.${side}`, { type })}</th>
                ${this.#cells(work, type, side)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  #cells(work: Work, type: Type, side: Side): TemplateResult | TemplateResult[] {
    const { milliseconds, rate, share, javascript, ort } = figuresOf(this.results, work, type, side);
    const why = milliseconds === undefined && this.#whyEmpty(side);
    if (why) return html`<td class="why" colspan=${COLUMNS.length}>${this.#words.text(why)}</td>`;
    const number = (value: number | undefined): string =>
      value === undefined ? '–' : this.#words.number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
    return [
      number(milliseconds),
      number(rate),
      share === undefined ? '–' : this.#words.percent(share, 0),
      number(javascript),
      number(ort),
    ].map((cell) => html`<td>${cell}</td>`);
  }

  /** What a row needs that was not there. */
  #whyEmpty(side: Side): 'proof.isolation' | 'proof.choose' | undefined {
    if (side === 'all' && this.results.threads === 1) return 'proof.isolation';
    return side === 'ort' && !this.#hasOrt ? 'proof.choose' : undefined;
  }

  #links(): TemplateResult {
    const json = jsonOf(this.results, this.#timings, {
      userAgent: navigator.userAgent,
      date: new Date().toISOString(),
    });
    return html`<p>
      <a href=${writeLink(location.href, this.results)}>${this.#words.text('proof.link')}</a>${
        this.#timings.size === 0
          ? nothing
          : html` ·
              <a
                download="wasm-attention-benchmark.json"
                href=${`data:application/json;charset=utf-8,${encodeURIComponent(json)}`}
                >${this.#words.text('proof.json')}</a
              >`
      }
    </p>`;
  }

  #start(): void {
    const input = this.querySelector('input')!;
    // `?quick` is for tests: short samples, whose figures mean little.
    const quick = new URLSearchParams(location.search).has('quick');
    const order: Order = { threads: this.#threads, files: [...(input.files ?? [])], quick };
    this.#hasOrt = order.files.length > 0;
    this.#timings.clear();
    this.results = { threads: this.#threads, times: new Map() };
    this.without = undefined;
    this.progress = 0;
    this.state = { kind: 'running' };
    this.#began = performance.now();
    const worker = new Worker(new URL('./proof-worker.ts', import.meta.url), { type: 'module' });
    // A message that was sent before the end may still arrive.
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      if (worker === this.#worker) this.#take(data);
    });
    // An event without a message: the script did not load.
    worker.addEventListener('error', ({ message = 'proof-worker.js' }: Partial<ErrorEvent>) => {
      if (worker === this.#worker) this.#end({ kind: 'failed', reason: message });
    });
    this.#worker = worker;
    worker.postMessage(order);
  }

  #take(answer: Answer): void {
    switch (answer.type) {
      case 'progress':
        this.progress = answer.share;
        break;
      case 'measured': {
        for (const [id, timing] of answer.timings) this.#timings.set(id, timing);
        const times = new Map([...this.#timings].map(([id, timing]) => [id, Number(timing.median.toPrecision(4))]));
        this.results = { threads: answer.threads, times };
        break;
      }
      case 'without':
        this.without = answer.reason;
        break;
      case 'done':
        this.#end({ kind: 'done', seconds: this.#words.number((performance.now() - this.#began) / 1000, 0) });
        break;
      case 'failed':
        this.#end({ kind: 'failed', reason: answer.reason });
        break;
    }
  }

  /** Ends the worker; results remain, and are in the page's address. */
  #end(state: State): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.state = state;
    const { results } = this;
    if (results.times.size > 0) changeEntry((address) => (address.href = writeLink(address.href, results)));
  }
}

customElements.define('proof-benchmark', ProofBenchmark);
