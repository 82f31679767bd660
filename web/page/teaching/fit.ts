/** The least margin around a figure, and the width for which wide figures are laid out, in CSS pixels. */
const MARGIN = 16;
const WIDTH = 960;
/** The least and the largest magnification. In a narrow window the least is 1: readers scroll there. */
const LEAST = 0.5;
const LARGEST = 2.5;

/** The caption is above the picture only if that makes the picture larger by more than this. */
const GAIN = 1.08;

/**
 * Magnifies a figure that is shown alone until it fills the window's width or height, except for the bar and the
 * caption, also once its prediction is answered. In a wide window the caption is beside the picture, or above it if
 * that makes the picture larger; it does not move when an answer makes it longer. While the reader uses the figure it
 * keeps its size, even if a text becomes longer or a table opens. Returns a function that undoes it. The style sheet
 * applies the properties on screens only.
 */
export function fit(figure: HTMLElement, bar: HTMLElement): () => void {
  const element = figure.querySelector<HTMLElement>(':scope > :not(figcaption, .still)')!;
  const caption = figure.querySelector<HTMLElement>('figcaption')!;
  const set = (name: string, value: string): void => figure.style.setProperty(name, value);
  const isAnswered = (): boolean => caption.querySelector('[role=status] > *') !== null;
  const place = (): void => {
    set('--top', `${bar.offsetHeight}px`);
    const { classList } = figure;
    const room = {
      width: figure.clientWidth - 2 * MARGIN,
      height: innerHeight - bar.offsetHeight - 2 * MARGIN,
    };
    const was = classList.contains('stacked');
    classList.remove('stacked');
    if (!isAnswered()) {
      set('--caption', '1');
      // Beside the picture, a long caption is smaller.
      set('--caption', String(Math.min(1, room.height / caption.offsetHeight)));
    }
    const beside = caption.offsetWidth < figure.clientWidth / 2;
    const rest = room.width - (beside ? caption.offsetWidth + MARGIN : 0);
    // The width is the same for both places of the caption, so that the height is as well. A height measured on
    // magnified text, which wraps differently, would lead to another size, and that one back to the first.
    const width = Math.min(WIDTH, rest);
    set('--width', `${width}px`);
    set('--zoom', '1');
    const height = Math.max(1, element.getBoundingClientRect().height);
    const zoomBeside = beside ? Math.min(rest / width, room.height / height) : 0;
    classList.add('stacked');
    const zoomStacked = Math.min(room.width / width, (room.height - caption.offsetHeight - MARGIN) / height);
    const stacked = isAnswered() && beside ? was : zoomStacked > GAIN * zoomBeside;
    classList.toggle('stacked', stacked);
    set('--zoom', String(Math.max(beside ? LEAST : 1, Math.min(LARGEST, stacked ? zoomStacked : zoomBeside))));
  };
  const observer = new ResizeObserver(place);
  for (const each of [element, bar, caption]) observer.observe(each);
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('resize', place, { signal });
  const settle = (): void => {
    for (const each of [element, caption]) observer.unobserve(each);
  };
  for (const type of ['pointerdown', 'keydown']) element.addEventListener(type, settle, { capture: true, signal });
  place();
  return () => {
    observer.disconnect();
    listening.abort();
    figure.classList.remove('stacked');
    for (const name of ['--top', '--width', '--zoom', '--caption']) figure.style.removeProperty(name);
  };
}
