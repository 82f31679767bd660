/**
 * Serves the page offline. On installation it fetches every file that the reader's language needs; those of another
 * language when the reader opens it. From then on files come from the cache,
 * and pages from the network while there is one. A new version waits until no page of the old one is open, because that
 * page still loads figures of its own version.
 *
 * Everything that is stored or served is compared with the build's hashes, so that readers get nothing else, whatever
 * another script writes into the cache.
 */
import { answer, extend, fill, partsOf, deleteOldVersions, type Kept, type KeptFile } from './kept.js';

/** Properties of a service worker's global scope that a page's does not have. */
interface ServiceWorker {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { includeUncontrolled: true; type: 'window' }): Promise<readonly { readonly url: string }[]>;
  };
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** Inserted by scripts/offline.mjs: the files by their paths below the page's root, and a hash of all of them. */
declare const __FILES__: readonly (readonly [path: string, file: KeptFile])[];
declare const __CONTENT__: string;

const worker = self as unknown as ServiceWorker;
const { scope } = worker.registration;
const family = `wasm-attention ${new URL(scope).pathname} `;
const kept: Kept = {
  family,
  name: family + __CONTENT__,
  files: new Map(__FILES__.map(([path, file]) => [new URL(path, scope).href, file])),
};

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) =>
  // The open page loads its next figures from the cache at once.
  event.waitUntil(deleteOldVersions(kept).then(() => worker.clients.claim())),
);
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return;
  event.respondWith(answer(kept, request));
  event.waitUntil(extend(kept, request.url));
});

async function install(): Promise<void> {
  const windows = await worker.clients.matchAll({ includeUncontrolled: true, type: 'window' });
  const addresses = windows.map(({ url }) => url);
  await fill(kept, await partsOf(kept, addresses));
}
