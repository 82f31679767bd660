import { html, nothing, type TemplateResult } from 'lit';
import { magnification } from '../controls/pointer-in.js';
import { sound } from '../heat-map/sound.js';
import type { Localised, StringKey } from '../localised.js';

/** The file formats. */
const FILE_KINDS = ['svg', 'png', 'csv'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A button of the menu; `open` says of one that opens something else whether that is open. */
export interface Tool {
  readonly name: StringKey;
  readonly choose: () => void;
  readonly open?: boolean;
}

/** The tool that lets all maps of the page play their rows. */
export const playTool: Tool = { name: 'tools.playRows', choose: () => (sound.on = !sound.on) };

/** A tool for each file format. */
export function saveTools(save: (kind: FileKind) => void): Tool[] {
  return FILE_KINDS.map((kind) => ({ name: `tools.${kind}`, choose: () => save(kind) }));
}

/** The button “…” with a popover that has the tools. `figure` is the figure's name. */
export function toolMenu(words: Localised, tools: readonly Tool[], figure: string): TemplateResult {
  const label = words.text('tools.label', { figure });
  const item = (tool: Tool): TemplateResult => {
    const press = (event: Event): void => {
      const button = event.currentTarget as HTMLElement;
      button.closest<HTMLElement>('[popover]')?.hidePopover?.();
      tool.choose();
      if (tool === playTool) button.ariaPressed = String(sound.on);
    };
    const [text, open, on] = [words.text(tool.name), tool.open ?? nothing, tool === playTool ? 'false' : nothing];
    return html`<button type="button" aria-expanded=${open} aria-pressed=${on} @click=${press}>${text}</button>`;
  };
  return html`<button type="button" class="more" popovertarget="menu" aria-label=${label}>…</button>
    <div id="menu" class="menu" popover role="group" aria-label=${label} @toggle=${place} @beforetoggle=${prepare}>
      ${tools.map(item)}
    </div>`;
}

/** Puts the popover below its button, or above it near the window's bottom. It moves with the page. */
function place(event: Event): void {
  const popover = event.currentTarget as HTMLElement;
  const button = popover.previousElementSibling;
  if ((event as ToggleEvent).newState !== 'open' || button === null) return;
  const { left, top, bottom } = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const y = bottom + height + 4 > innerHeight ? top - height - 4 : bottom + 4;
  const x = Math.max(4, Math.min(left, document.documentElement.clientWidth - width - 4));
  // In the figure's own pixels, which are larger in full screen.
  const zoom = magnification(popover);
  popover.style.left = `${(x + scrollX) / zoom}px`;
  popover.style.top = `${(y + scrollY) / zoom}px`;
}

/**
 * When the popover opens, another figure may have switched the sound. When it closes, the focus returns to the button; inside
 * shadow roots, browsers lose it.
 */
function prepare(event: Event): void {
  const popover = event.currentTarget as HTMLElement;
  const focused = (popover.getRootNode() as Document | ShadowRoot).activeElement;
  const play = popover.querySelector('[aria-pressed]');
  if (play) play.ariaPressed = String(sound.on);
  if ((event as ToggleEvent).newState === 'closed' && popover.contains(focused)) {
    (popover.previousElementSibling as HTMLElement | null)?.focus();
  }
}
