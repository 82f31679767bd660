/**
 * The page without a network. When the worker is installed it fetches every file of the page; from then on files come from there, and
 * pages from the network while there is one. A new version waits until nobody has a page of the old one open, because that page
 * still loads figures of its own version.
 */
import { answer, fill, tidy, type Kept } from './kept.js';

/** What the global scope of a service worker has and that of a page has not. */
interface ServiceWorker {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Asking) => void): void;
}
interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** Put in by scripts/offline.mjs: the files' paths below the page's root, and a hash of all their contents. */
declare const __FILES__: readonly string[];
declare const __CONTENT__: string;

const worker = self as unknown as ServiceWorker;
const { scope } = worker.registration;
const family = `wasm-attention ${new URL(scope).pathname} `;
const kept: Kept = {
  family,
  name: family + __CONTENT__,
  files: __FILES__.map((file) => new URL(file, scope).href),
};

worker.addEventListener('install', (event) => event.waitUntil(fill(kept)));
worker.addEventListener('activate', (event) =>
  // The page that is open loads its next figures from here at once.
  event.waitUntil(tidy(kept).then(() => worker.clients.claim())),
);
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(scope)) event.respondWith(answer(kept, request));
});
