/** Fills a dialog with a button for each figure: its picture above its question. `choose` gets the index of a figure. */
export function fillOverview(
  dialog: HTMLDialogElement,
  figures: readonly HTMLElement[],
  current: number,
  choose: (index: number) => void,
): void {
  const buttons = figures.map((figure, index) => {
    const button = document.createElement('button');
    button.type = 'button';
    // The dev server and the single file have no pictures.
    const picture = figure.querySelector('.still')?.cloneNode(true);
    const caption = figure.querySelectorAll('figcaption > p:first-child > :is(.number, .number + strong)');
    button.append(...(picture ? [picture] : []), ...[...caption].flatMap((part) => [part.cloneNode(true), ' ']));
    for (const image of button.querySelectorAll('img')) image.alt = '';
    button.addEventListener('click', () => choose(index));
    return button;
  });
  dialog.replaceChildren(...buttons);
  buttons[current]?.toggleAttribute('autofocus', true);
}
