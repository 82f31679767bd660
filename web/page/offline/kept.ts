/** The page's files, which the browser keeps for offline use. */
export interface Kept {
  /** The prefix of this page's caches; other pages of the same host have other prefixes. */
  readonly family: string;
  /** This version's cache. */
  readonly name: string;
  /** The files by URL, with what the build knows about each. */
  readonly files: ReadonlyMap<string, KeptFile>;
}

export interface KeptFile {
  /** SHA-256 of the content, in Base64. */
  readonly hash: string;
  readonly type: string;
  /** The only language that needs the file; undefined if all do. */
  readonly part?: string;
}

/** How long the network may take to return a page before the kept one is shown, in milliseconds. */
const NETWORK_TIMEOUT = 4000;

/**
 * The parts of the pages at these URLs, of which `undefined` is what all pages share, and those that an earlier version
 * has kept.
 */
export async function partsOf({ files }: Kept, addresses: readonly string[]): Promise<ReadonlySet<string | undefined>> {
  const parts = [undefined, ...addresses.map((address) => files.get(bare(pageAt(address)))?.part)];
  for (const [address, { part }] of files) {
    if (part !== undefined && (await caches.match(address))) parts.push(part);
  }
  return new Set(parts);
}

/**
 * Fetches the files of these parts, or takes them from the previous version if their names contain a hash. Rejects if a
 * file is missing or wrong.
 */
export async function fill({ name, files }: Kept, parts: ReadonlySet<string | undefined>): Promise<void> {
  const cache = await caches.open(name);
  const wanted = [...files].filter(([, { part }]) => parts.has(part));
  await Promise.all(
    wanted.map(async ([address, file]) => {
      const hashed = isHashed(address);
      const old = hashed ? await checked(await caches.match(address), file) : undefined;
      if (old !== undefined) return cache.put(address, old);
      // Bypasses the HTTP cache, which may have last week's page.
      const init: RequestInit = { cache: hashed ? 'default' : 'no-cache', integrity: `sha256-${file.hash}` };
      return cache.add(new Request(address, init));
    }),
  );
}

/** Keeps the part of a page or file that is requested for the first time. Does nothing without a network. */
export async function extend(kept: Kept, address: string): Promise<void> {
  const part = kept.files.get(bare(pageAt(address)))?.part;
  if (part === undefined || (await find(kept, pageAt(address))) !== undefined) return;
  await fill(kept, new Set([part])).catch(() => undefined);
}

/** Deletes earlier versions. */
export async function deleteOldVersions({ family, name }: Kept): Promise<void> {
  const stale = (await caches.keys()).filter((each) => each.startsWith(family) && each !== name);
  await Promise.all(stale.map((each) => caches.delete(each)));
}

/** Serves pages from the network if it answers in time, and everything else from the cache if it is there. */
export async function answer(kept: Kept, request: Request): Promise<Response> {
  if (request.mode !== 'navigate') return (await find(kept, request.url)) ?? fetch(request);
  const fresh = fetch(request);
  // A failure after the kept page has been shown does not matter.
  fresh.catch(() => undefined);
  try {
    return await Promise.race([fresh, late()]);
  } catch {
    return (await page(kept, request.url)) ?? fresh;
  }
}

async function page(kept: Kept, url: string): Promise<Response | undefined> {
  const address = pageAt(url);
  const found = await find(kept, address);
  if (found === undefined || bare(url) === bare(address)) return found;
  return Response.redirect(address);
}

/**
 * Pages are kept as folders: `/en` redirects to `/en/`, because the page's links are relative to that, and
 * `/en/index.html` is the same page.
 */
function pageAt(url: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/index\.html$/, '/').replace(/\/([\w-]+)$/, '/$1/');
  return address.href;
}

/** The URL without query and fragment. */
function bare(url: string): string {
  return url.replace(/[?#].*/s, '');
}

/** Undefined if the browser denies storage, or if the file is not as built. */
async function find({ name, files }: Kept, url: string): Promise<Response | undefined> {
  const address = bare(url);
  const file = files.get(address);
  if (file === undefined) return undefined;
  try {
    return await checked(await (await caches.open(name)).match(address), file);
  } catch {
    return undefined;
  }
}

/**
 * A response with the file's content, or undefined if its hash is not the build's. Any script of this origin can write
 * into the cache, so the headers are made here.
 */
async function checked(found: Response | undefined, { hash, type }: KeptFile): Promise<Response | undefined> {
  if (found === undefined) return undefined;
  const body = await found.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  if (btoa(String.fromCharCode(...digest)) !== hash) return undefined;
  const headers: Record<string, string> = { 'content-type': type };
  // On a cross-origin isolated host, workers start only with this header, which has no effect elsewhere. For pages it
  // would have one: in WebKit, the frames of code cells get no workers then.
  if (!type.startsWith('text/html')) headers['cross-origin-embedder-policy'] = 'require-corp';
  return new Response(body, { headers });
}

function isHashed(file: string): boolean {
  return /\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(file);
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), NETWORK_TIMEOUT));
}
