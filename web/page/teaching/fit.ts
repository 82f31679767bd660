/** The least margin around a figure, and the width for which wide figures are laid out, in CSS pixels. */
const MARGIN = 16;
const WIDTH = 960;
/** Letters as large as on a poster help nobody. */
const LARGEST = 2.5;

/**
 * Magnifies a figure that is shown alone until it fills the window's width or height, as far as the bar and the figure's caption
 * leave it, also once its prediction is answered. When the reader works with the figure it keeps its size, also if a text becomes longer
 * or a table opens. Returns a function that undoes it. The style sheet has the properties take effect on the screen only.
 */
export function fit(figure: HTMLElement, bar: HTMLElement): () => void {
  const element = figure.querySelector<HTMLElement>(':scope > :not(figcaption, .still)')!;
  const caption = figure.querySelector<HTMLElement>('figcaption')!;
  const set = (name: string, value: string): void => figure.style.setProperty(name, value);
  const place = (): void => {
    set('--top', `${bar.offsetHeight}px`);
    const room = {
      width: figure.clientWidth - 2 * MARGIN,
      height: innerHeight - bar.offsetHeight - 2 * MARGIN,
    };
    const beside = caption.offsetWidth < figure.clientWidth / 2;
    if (beside) room.width -= caption.offsetWidth + MARGIN;
    else room.height -= caption.offsetHeight + MARGIN;
    const width = Math.min(WIDTH, room.width);
    // Magnified texts break elsewhere: a height measured then would lead to another size, and that one back to the first.
    set('--width', `${width}px`);
    set('--zoom', '1');
    const { height } = element.getBoundingClientRect();
    const fitting = Math.min(room.width / width, room.height / Math.max(1, height), LARGEST);
    set('--zoom', String(Math.max(1, fitting)));
  };
  const observer = new ResizeObserver(place);
  for (const each of [element, bar, caption]) observer.observe(each);
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('resize', place, { signal });
  const settle = (): void => {
    for (const each of [element, caption]) observer.unobserve(each);
  };
  for (const type of ['pointerdown', 'keydown'])
    element.addEventListener(type, settle, { capture: true, signal });
  place();
  return () => {
    observer.disconnect();
    listening.abort();
    for (const name of ['--top', '--width', '--zoom']) figure.style.removeProperty(name);
  };
}
