/* This file is long because it holds a whole page's element; files, tokens and links are in files of their own. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import {
  baseStyles,
  controlStyles,
  nextTokens,
  nextTokensStyles,
  type HeadDetail,
  type HeadViewer,
} from '../../elements/kit.js';
import type { Checkpoint, Files } from './checkpoint.js';
import { lookOf, withLook, type Look } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { pieceOf, textOf, tokensOf, type Tokens } from './text.js';
import { modelWords } from './words.js';

/** Candidates for the next token that are shown, tokens that are written at a time, and sentences that are compared. */
const CANDIDATES = 5;
const WRITTEN = 60;
const SENTENCES = 24;
/** How long a reader's writing rests before it is computed, in milliseconds. */
const REST = 250;

/** What the page does at the moment. */
type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' | 'opening'; readonly name: string; readonly share: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string }
  | { readonly kind: 'open'; readonly checkpoint: Checkpoint };

/**
 * `<model-explorer>`: opens a checkpoint from the reader's disk in a worker and shows its heads over a text; they can be silenced. Decoders
 * write on, encoders compare sentences. The page's address carries the text and the changes.
 */
export class ModelExplorer extends LitElement {
  static override styles = [baseStyles, controlStyles, nextTokensStyles, explorerStyles];
  static override properties = {
    state: { state: true },
    look: { state: true },
    said: { state: true },
    over: { state: true },
  };

  declare protected state: State;
  declare protected look: Look;
  declare protected said: string;
  declare protected over: boolean;
  readonly #words = modelWords(this);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;
  #tokens: Tokens | undefined;
  #next: readonly { readonly name: string; readonly share: number }[] = [];
  #written: string | undefined;
  #writing: AbortController | undefined;
  #likeness: { readonly sentences: readonly string[]; readonly values: Float32Array } | undefined;

  constructor() {
    super();
    this.state = { kind: 'none' };
    this.look = lookOf(location.search);
    this.said = '';
    this.over = false;
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const words = this.#words;
    if (!words.ready) return html``;
    return html`${this.#drop()}
      <p class="status" role="status">${this.#status()}</p>
      ${state.kind === 'opening' ? html`<progress max="1" .value=${state.share} aria-label=${words.text('models.opening', { name: state.name, percent: '' })}></progress>` : nothing}
      ${state.kind === 'open' ? this.#opened(state.checkpoint) : nothing}`;
  }

  #drop(): TemplateResult {
    const words = this.#words;
    const closed = this.state.kind === 'reading' || this.state.kind === 'opening';
    return html`<div
      class=${this.over ? 'drop over' : 'drop'}
      @dragover=${(event: DragEvent) => {
        event.preventDefault();
        this.over = true;
      }}
      @dragleave=${() => (this.over = false)}
      @drop=${this.#onDrop}
    >
      <p>${words.text('models.drop')}</p>
      <div class="buttons">
        <label class="button"
          ><input
            type="file"
            webkitdirectory
            multiple
            ?disabled=${closed}
            @change=${this.#onChoose}
          />${words.text('models.choose')}</label
        >
        <button type="button" ?disabled=${closed} @click=${() => void this.#openStories()}>
          ${words.text('models.stories')}
        </button>
      </div>
    </div>`;
  }

  #status(): string {
    const words = this.#words;
    const { state } = this;
    switch (state.kind) {
      case 'none':
        return words.text('models.private');
      case 'reading':
        return words.text('models.reading', { name: state.name });
      case 'opening':
        return words.text('models.opening', { name: state.name, percent: words.percent(state.share, 0) });
      case 'refused':
        return words.text(`models.${state.reason}` as 'models.refused', {
          file: state.detail,
          message: state.detail,
          size: state.reason === 'tooLarge' ? words.number(Number(state.detail), 1) : '',
        });
      case 'open': {
        const { name, model } = state.checkpoint;
        const facts = { name, family: model.family, layers: model.numLayers, heads: model.numHeads };
        // `263 thousand`, as the language says it.
        const count = new Intl.NumberFormat(words.language, {
          notation: 'compact',
          compactDisplay: 'long',
          maximumSignificantDigits: 3,
        }).format(model.parameterBytes / 4);
        return `${words.text('models.facts', facts)}, ${words.text('models.params', { count })}`;
      }
    }
  }

  #opened(checkpoint: Checkpoint): TemplateResult {
    const words = this.#words;
    const { silent } = this.look;
    const label = words.text(checkpoint.tokenizer === undefined ? 'models.numbers' : 'models.text');
    return html`${checkpoint.tokenizer === undefined ? html`<p class="remark">${words.text('models.noTokenizer')}</p>` : nothing}
      <div class="field">
        <label for="text">${label}</label>
        <textarea
          id="text"
          rows="2"
          spellcheck="false"
          .value=${this.look.text}
          @input=${this.#onText}
        ></textarea>
      </div>
      <p class="remark" role="status">${this.said}</p>
      ${checkpoint.writes ? this.#writer() : nothing}
      <head-viewer
        silenceable
        .silent=${new Set(silent)}
        .layer=${this.look.layer}
        .head=${this.look.head}
        @head-change=${({ detail }: CustomEvent<HeadDetail>) => this.#change({ layer: detail.layer, head: detail.head })}
        @head-silence=${({ detail }: CustomEvent<HeadDetail & { silent: boolean }>) => {
          const name = `${detail.layer}.${detail.head}`;
          const others = silent.filter((each) => each !== name);
          this.#change({ silent: detail.silent ? [...others, name].sort() : others });
        }}
      ></head-viewer>
      ${
        silent.length === 0
          ? nothing
          : html`<div class="buttons">
              <button type="button" @click=${() => this.#change({ silent: [] })}>
                ${words.text('models.allHeads', { count: silent.length })}
              </button>
            </div>`
      }
      ${checkpoint.writes ? nothing : this.#comparison()}`;
  }

  #writer(): TemplateResult {
    const words = this.#words;
    const writing = this.#writing !== undefined;
    return html`<div class="writer">
      <p class="name">${words.text('models.next')}</p>
      ${nextTokens(words.text('models.next'), this.#next, words)}
      <div class="buttons">
        <button
          type="button"
          ?disabled=${this.#tokens === undefined}
          @click=${() => void (writing ? this.#writing?.abort() : this.#write())}
        >
          ${words.text(writing ? 'models.stop' : 'models.write')}
        </button>
      </div>
      ${this.#written === undefined ? nothing : html`<p class="written" aria-label=${words.text('models.written')}>${this.#written}</p>`}
      ${this.look.silent.length === 0 ? nothing : html`<p class="remark">${words.text('models.silent')}</p>`}
    </div>`;
  }

  #comparison(): TemplateResult {
    const words = this.#words;
    const likeness = this.#likeness;
    return html`<div class="field">
        <label for="sentences">${words.text('models.sentences')}</label>
        <textarea id="sentences" rows="4" spellcheck="false"></textarea>
      </div>
      <div class="buttons">
        <button type="button" @click=${() => void this.#compare()}>${words.text('models.compare')}</button>
      </div>
      ${
        likeness === undefined
          ? nothing
          : html`<p class="name">${words.text('models.likeness')}</p>
              <heat-map
                class="likeness"
                .values=${likeness.values}
                .rows=${likeness.sentences.length}
                .columns=${likeness.sentences.length}
                low="-1"
                high="1"
                origin="1"
                label=${words.text('models.likenessLabel', { count: likeness.sentences.length })}
              ></heat-map>`
      }`;
  }

  readonly #onChoose = (event: Event): void => {
    const { files } = event.target as HTMLInputElement;
    if (files !== null && files.length > 0) void this.#openFiles([...files]);
  };

  readonly #onDrop = (event: DragEvent): void => {
    event.preventDefault();
    this.over = false;
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    void filesIn(entries).then((files) => this.#openFiles(files));
  };

  readonly #onText = (event: Event): void => {
    this.#change({ text: (event.target as HTMLTextAreaElement).value });
  };

  #change(to: Partial<Look>): void {
    this.look = { ...this.look, ...to };
    if ('text' in to || 'silent' in to) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#compute(), REST);
    }
    try {
      history.replaceState(history.state, '', withLook(location.href, this.look));
    } catch {
      // A browser that had enough of it; the next change tries again.
    }
  }

  async #openFiles(files: readonly File[]): Promise<void> {
    const { filesOf } = await import('./checkpoint.js');
    await this.#open(files[0]?.name ?? '', () => filesOf(files));
  }

  async #openStories(): Promise<void> {
    const { stories } = await import('./checkpoint.js');
    await this.#open('stories260K', stories);
    if (this.look.text === '') this.#change({ text: 'Once upon a time, there was a little girl named' });
  }

  async #open(name: string, files: () => Promise<Files>): Promise<void> {
    // Two models at once may be too much for a phone.
    if (this.state.kind === 'open') void this.state.checkpoint.model.dispose();
    this.#forget();
    this.state = { kind: 'reading', name, share: 0 };
    try {
      const { open } = await import('./checkpoint.js');
      const given = await files();
      this.state = { kind: 'opening', name: given.name, share: 0 };
      const checkpoint = await open(
        given,
        (share) => (this.state = { kind: 'opening', name: given.name, share }),
      );
      const { numLayers, numHeads } = checkpoint.model;
      const fits = (each: string): boolean => {
        const [layer = 0, head = 0] = each.split('.').map(Number);
        return layer >= 1 && layer <= numLayers && head >= 1 && head <= numHeads;
      };
      this.state = { kind: 'open', checkpoint };
      this.look = { ...this.look, silent: this.look.silent.filter(fits) };
      await this.#compute();
    } catch (error) {
      const { reason = 'refused', detail = String(error) } = error as { reason?: string; detail?: string };
      this.state = { kind: 'refused', reason, detail };
    }
  }

  #forget(): void {
    this.#writing?.abort();
    this.#tokens = this.#written = this.#likeness = undefined;
    this.#next = [];
    this.said = '';
  }

  get #ablate(): [number, number][] {
    return this.look.silent.map(
      (name) => name.split('.').map((number) => Number(number) - 1) as [number, number],
    );
  }

  /** One pass over the text: the heads, and what may come next. */
  async #compute(): Promise<void> {
    if (this.state.kind !== 'open') return;
    const { checkpoint } = this.state;
    const run = ++this.#runs;
    const words = this.#words;
    try {
      const tokens = tokensOf(checkpoint, this.look.text);
      if (this.look.text.trim() === '' || tokens.ids.length === 0) {
        this.#tokens = undefined;
        this.said = words.text('models.empty');
        return;
      }
      const options = { needWeights: true, lastOnly: checkpoint.writes, ablate: this.#ablate };
      const { weights = [], logits } = await checkpoint.model.forward([tokens.ids], options);
      // A later one is on its way.
      if (run !== this.#runs) return;
      this.#tokens = tokens;
      this.#next = checkpoint.writes && logits ? likeliest(logits.data, checkpoint) : [];
      this.said = tokens.cut ? words.text('models.cut', { count: tokens.ids.length }) : '';
      this.requestUpdate();
      await this.updateComplete;
      const arrays = { weights, tokens: tokens.names, isCausal: checkpoint.writes };
      this.renderRoot.querySelector<HeadViewer>('head-viewer')?.loadArrays(arrays);
    } catch (error) {
      if (run === this.#runs) this.said = words.text('models.failed', { message: messageOf(error) });
    }
  }

  async #write(): Promise<void> {
    if (this.state.kind !== 'open' || this.#tokens === undefined) return;
    const { checkpoint } = this.state;
    const { ids } = this.#tokens;
    const stop = (this.#writing = new AbortController());
    const tokens: number[] = [...ids];
    try {
      const maxTokens = Math.min(WRITTEN, checkpoint.model.maxLength - ids.length);
      for await (const id of checkpoint.model.generate(ids, {
        maxTokens,
        ablate: this.#ablate,
        signal: stop.signal,
      })) {
        tokens.push(id);
        this.#written = textOf(checkpoint.tokenizer, tokens);
        this.requestUpdate();
      }
    } catch (error) {
      if (!stop.signal.aborted) this.said = this.#words.text('models.failed', { message: messageOf(error) });
    }
    this.#writing = undefined;
    this.requestUpdate();
  }

  async #compare(): Promise<void> {
    if (this.state.kind !== 'open') return;
    const { checkpoint } = this.state;
    const written = this.renderRoot.querySelector<HTMLTextAreaElement>('#sentences')?.value ?? '';
    const sentences = written
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .slice(0, SENTENCES);
    try {
      const rows = sentences
        .map((sentence) => tokensOf(checkpoint, sentence).ids)
        .filter((ids) => ids.length > 0);
      if (rows.length === 0) return;
      const { data, shape } = await checkpoint.model.embed(rows, { normalize: true });
      const width = shape[1] ?? 0;
      const values = new Float32Array(rows.length ** 2);
      for (let i = 0; i < rows.length; ++i)
        for (let j = 0; j < rows.length; ++j)
          for (let k = 0; k < width; ++k)
            values[i * rows.length + j]! += data[i * width + k]! * data[j * width + k]!;
      this.#likeness = { sentences: sentences.slice(0, rows.length), values };
      this.said = '';
    } catch (error) {
      this.said = this.#words.text('models.failed', { message: messageOf(error) });
    }
    this.requestUpdate();
  }
}

/** The most likely tokens, in one pass: a vocabulary may have 150,000. */
function likeliest(logits: ArrayLike<number>, { tokenizer }: Checkpoint): { name: string; share: number }[] {
  const best: number[] = [];
  const logit = (id: number): number => logits[id] ?? -Infinity;
  for (let id = 0; id < logits.length; ++id) {
    if (best.length === CANDIDATES && logit(id) <= logit(best.at(-1)!)) continue;
    const place = best.findIndex((other) => logit(id) > logit(other));
    best.splice(place < 0 ? best.length : place, 0, id);
    best.length = Math.min(best.length, CANDIDATES);
  }
  const most = logit(best[0]!);
  let sum = 0;
  for (let id = 0; id < logits.length; ++id) sum += Math.exp(logit(id) - most);
  return best.map((id) => ({ name: pieceOf(tokenizer, id), share: Math.exp(logit(id) - most) / sum }));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The files of what was dropped; folders are read one level deep. */
async function filesIn(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const read = (entry: FileSystemEntry): Promise<File[]> =>
    new Promise((resolve) => {
      (entry as FileSystemFileEntry).file(
        (file) => resolve([file]),
        () => resolve([]),
      );
    });
  const listed = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
    const reader = folder.createReader();
    const all: FileSystemEntry[] = [];
    // The browser hands them out in portions, the last of which is empty.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve) =>
        reader.readEntries(resolve, () => resolve([])),
      );
      if (some.length === 0) return all;
      all.push(...some);
    }
  };
  const all = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isFile) return read(entry);
      const inside = await listed(entry as FileSystemDirectoryEntry);
      return (await Promise.all(inside.filter(({ isFile }) => isFile).map(read))).flat();
    }),
  );
  return all.flat();
}

customElements.define('model-explorer', ModelExplorer);
