/**
 * Fills a dialog with a button for each figure: its picture above its question. Page Down and Page Up move among them.
 * `choose` gets the index of a figure.
 */
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
    for (const part of button.querySelectorAll('[id]')) part.removeAttribute('id');
    for (const image of button.querySelectorAll('img')) image.alt = '';
    button.addEventListener('click', () => choose(index));
    return button;
  });
  dialog.replaceChildren(...buttons);
  buttons[current]?.toggleAttribute('autofocus', true);
  dialog.onkeydown = (event) => {
    const step = { PageDown: 1, PageUp: -1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    buttons[buttons.findIndex((button) => button === document.activeElement) + step]?.focus();
  };
}
