/**
 * Lets the browser keep the page for times without a network, once it has nothing better to do; not under the dev server, and not from
 * a file. Where the browser does not want to (no https, storage denied) the page is as it was.
 */
export function keepForLater(): void {
  if (!import.meta.env.PROD || !location.protocol.startsWith('http') || !('serviceWorker' in navigator))
    return;
  // Pages stand one folder below the worker: /en/, /gallery/.
  const script = new URL('../service-worker.js', location.href);
  const register = (): unknown =>
    setTimeout(() => void navigator.serviceWorker.register(script).catch(() => undefined), 1000);
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
