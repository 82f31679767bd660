import type { ReactiveControllerHost } from 'lit';

/** Repaints an element whenever the reader's system changes its colour scheme. */
export function followScheme(element: ReactiveControllerHost & { readonly repaint: () => void }): void {
  const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
  element.addController({
    hostConnected: () => dark?.addEventListener('change', element.repaint),
    hostDisconnected: () => dark?.removeEventListener('change', element.repaint),
  });
}
