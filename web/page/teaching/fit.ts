/** The least margin around a figure, and the width for which wide figures are laid out, in CSS pixels. */
const MARGIN = 16;
const WIDTH = 960;
/** Letters as large as on a poster help nobody. */
const LARGEST = 2.5;

/**
 * Magnifies a figure that is shown alone until it fills the window's width, or the height that the bar and the figure's prediction
 * leave, also once it is answered. When the reader works with the figure it keeps its size, also if a text becomes longer or a table
 * opens. Returns a function that undoes it. The style sheet has the properties take effect on the screen only.
 */
export function fit(figure: HTMLElement, bar: HTMLElement): () => void {
  const element = figure.querySelector<HTMLElement>(':scope > :not(figcaption, .still)')!;
  const prediction = figure.querySelector<HTMLElement>('.check');
  const set = (name: string, value: string): void => figure.style.setProperty(name, value);
  const place = (): void => {
    set('--top', `${bar.offsetHeight}px`);
    const above = bar.offsetHeight + (prediction?.offsetHeight ?? 0);
    const room = { width: figure.clientWidth - 2 * MARGIN, height: innerHeight - above - 3 * MARGIN };
    const width = Math.min(WIDTH, room.width);
    // Magnified texts break elsewhere: a height measured then would lead to another size, and that one back to the first.
    set('--width', `${width}px`);
    set('--zoom', '1');
    const { height } = element.getBoundingClientRect();
    const fitting = Math.min(room.width / width, room.height / Math.max(1, height), LARGEST);
    set('--zoom', String(Math.max(1, fitting)));
  };
  const observer = new ResizeObserver(place);
  for (const each of [element, bar, prediction]) if (each) observer.observe(each);
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('resize', place, { signal });
  const settle = (): void => {
    for (const each of [element, prediction]) if (each) observer.unobserve(each);
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
