/**
 * Lets the browser keep the page for times without a network, once it has nothing better to do; not under the dev
 * server, and not from a file. Where the browser does not want to (no https, storage denied) the page is as it was.
 */
export function keepForLater(): void {
  if (!import.meta.env.PROD || !location.protocol.startsWith('http') || !('serviceWorker' in navigator)) return;
  // The worker would fetch the page in all languages, and every figure. One that is there already stays.
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return;
  // The page stands one folder below the worker: /en/.
  const script = new URL('../service-worker.js', location.href);
  const keep = async (): Promise<void> => {
    try {
      // Where storage is denied, some browsers throw at the mere mention.
      await navigator.serviceWorker.register(script);
    } catch {
      // The page is as it was.
    }
  };
  addEventListener('load', () => setTimeout(() => void keep(), 1000));
}
