/**
 * How long after a slider's last move its page is whole again, in milliseconds. Leaving the figures out and taking them
 * back in costs a phone 200 ms each, so it must not happen between two presses of a key.
 */
const REST = 3000;

/**
 * While a reader moves a slider, the page says so (`data-sliding`), and its style sheet leaves figures outside the
 * window out of the frames. At all other times everything is there: for pictures of the whole page, for printing, for
 * whoever reads the page by script.
 */
export function noticeSliding(): void {
  const { dataset } = document.documentElement;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const notice = (event: Event): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLInputElement) || target.type !== 'range') return;
    dataset.sliding = '';
    clearTimeout(timer);
    timer = setTimeout(() => delete dataset.sliding, REST);
  };
  // Focused or pressed first, then moved: the frame in which the style changes is not one of those that follow the
  // slider.
  for (const type of ['focusin', 'pointerdown', 'keydown', 'input']) addEventListener(type, notice, { capture: true });
}
