import { PARAMETER } from './parameter.js';

/**
 * Shows the button "Teach", and opens it at once if the URL says so.
 *
 * @param takeTo takes the reader to a figure in the text
 */
export function offerTeaching(takeTo: (figure: Element) => void): void {
  const button = document.querySelector<HTMLButtonElement>('button.teach');
  if (button === null) return;
  const begin = async (fullScreen: boolean): Promise<void> => {
    // Only a recent click may request full screen.
    const filled = fullScreen && document.documentElement.requestFullscreen?.().catch(() => undefined);
    const { teach } = await import('./teach.js');
    await filled;
    teach(button, takeTo);
  };
  button.hidden = false;
  button.addEventListener('click', () => void begin(true));
  if (new URLSearchParams(location.search).has(PARAMETER)) void begin(false);
}
