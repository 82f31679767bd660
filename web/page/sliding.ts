/**
 * How long after a slider's last move the rest of the page is rendered again, in milliseconds. Hiding the figures and
 * showing them again costs a phone 200 ms each, so it must not happen between two key presses.
 */
const RENDER_DELAY = 3000;

/**
 * While a reader moves a slider, the page has `data-sliding`, and its style sheet skips figures outside the window. At
 * all other times everything is rendered: for screenshots of the whole page, for printing, for scripts.
 */
export function watchSliders(): void {
  const { dataset } = document.documentElement;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const notice = (event: Event): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLInputElement) || target.type !== 'range') return;
    dataset.sliding = '';
    clearTimeout(timer);
    timer = setTimeout(() => delete dataset.sliding, RENDER_DELAY);
  };
  // The slider is focused or pressed before it moves, so the change of style does not delay its first frame.
  for (const type of ['focusin', 'pointerdown', 'keydown', 'input']) addEventListener(type, notice, { capture: true });
}
