import { html, nothing, type TemplateResult } from 'lit';
import { magnification } from '../controls/pointer-in.js';
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

/** A tool for each file format. */
export function saveTools(save: (kind: FileKind) => void): Tool[] {
  return FILE_KINDS.map((kind) => ({ name: `tools.${kind}`, choose: () => save(kind) }));
}

/** The button “…” with a popover that has the tools. */
export function toolMenu(words: Localised, tools: readonly Tool[]): TemplateResult {
  const item = ({ name, choose, open }: Tool): TemplateResult => {
    const press = (event: Event): void => {
      (event.currentTarget as HTMLElement).closest<HTMLElement>('[popover]')?.hidePopover?.();
      choose();
    };
    return html`<button type="button" aria-expanded=${open ?? nothing} @click=${press}>${words.text(name)}</button>`;
  };
  return html`<button type="button" class="more" popovertarget="menu" aria-label=${words.text('tools.label')}>…</button>
    <div
      id="menu"
      class="menu"
      popover
      role="group"
      aria-label=${words.text('tools.label')}
      @toggle=${place}
      @beforetoggle=${returnFocus}
    >
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

/** When the popover closes, the focus returns to the button; inside shadow roots, browsers lose it. */
function returnFocus(event: Event): void {
  const popover = event.currentTarget as HTMLElement;
  const focused = (popover.getRootNode() as Document | ShadowRoot).activeElement;
  if ((event as ToggleEvent).newState === 'closed' && popover.contains(focused)) {
    (popover.previousElementSibling as HTMLElement | null)?.focus();
  }
}
