import { html, type TemplateResult } from 'lit';
import { magnification } from '../controls/pointer-in.js';
import type { Localised } from '../localised.js';

/** The file formats. */
export const FILE_KINDS = ['svg', 'png', 'csv'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A button with a popover that has a button for each file format. */
export function saveMenu(words: Localised, save: (kind: FileKind) => void): TemplateResult {
  const item = (kind: FileKind): TemplateResult => {
    const choose = (event: Event): void => {
      (event.currentTarget as HTMLElement).closest<HTMLElement>('[popover]')?.hidePopover?.();
      save(kind);
    };
    return html`<button type="button" @click=${choose}>${words.text(`tools.${kind}`)}</button>`;
  };
  return html`<button type="button" popovertarget="save">${words.text('tools.save')}</button>
    <div
      id="save"
      class="save"
      popover
      role="group"
      aria-label=${words.text('tools.save')}
      @toggle=${place}
      @beforetoggle=${returnFocus}
    >
      ${FILE_KINDS.map(item)}
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
