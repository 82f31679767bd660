import { ROOT } from '../root.js';

/**
 * Makes the browser keep the page for offline use, once it is idle; not in the dev server, and not from a file. If the
 * browser refuses (no https, storage denied), the page works as before.
 */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !location.protocol.startsWith('http') || !('serviceWorker' in navigator)) return;
  // With Save-Data: the worker would fetch every figure. One that is installed stays.
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return;
  const script = new URL('service-worker.js', ROOT);
  const keep = async (): Promise<void> => {
    try {
      // If storage is denied, some browsers throw on access.
      await navigator.serviceWorker.register(script);
    } catch {
      // The page works without it.
    }
  };
  addEventListener('load', () => setTimeout(() => void keep(), 1000));
}
