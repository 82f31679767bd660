import { liveCode } from '../elements/live-code.js';

/** Makes the figures' code open as cells inside the figures, so that they are also there in full screen. */
export function runCodeOfFigures(): void {
  liveCode.open = (figure, { javascript, pytorch }) => {
    const cell = document.createElement('code-cell');
    cell.append(...[javascript, pytorch].map(listing));
    cell.slot = 'code';
    figure.append(cell);
    void import('./cells/code-cell.js').then(
      () => cell.shadowRoot?.querySelector<HTMLElement>('.run')?.focus(),
      // Without a network the code stays a listing.
      () => undefined,
    );
    return () => cell.remove();
  };
}

function listing(text: string): HTMLElement {
  const pre = document.createElement('pre');
  const code = document.createElement('code');
  code.textContent = text;
  pre.append(code);
  return pre;
}
