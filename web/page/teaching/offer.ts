import { PARAMETER } from './parameter.js';

/** Shows the button that leads through the figures, and begins at once where the address says so. */
export function offerTeaching(): void {
  const button = document.querySelector<HTMLButtonElement>('button.teach');
  if (button === null) return;
  const begin = async (fullScreen: boolean): Promise<void> => {
    // Only a click that has just been made may fill the screen.
    const filled = fullScreen && document.documentElement.requestFullscreen?.().catch(() => undefined);
    const { teach } = await import('./teach.js');
    await filled;
    teach(button);
  };
  button.hidden = false;
  button.addEventListener('click', () => void begin(true));
  if (new URLSearchParams(location.search).has(PARAMETER)) void begin(false);
}
