/** The page's files as the browser keeps them for times without a network. */
export interface Kept {
  /** What all caches of this page's versions begin with; others on the same host have others. */
  readonly family: string;
  /** The cache of this version. */
  readonly name: string;
  /** The files' addresses, and what the build knows about each. */
  readonly files: ReadonlyMap<string, KeptFile>;
}

export interface KeptFile {
  /** SHA-256 of its content, in Base64. */
  readonly hash: string;
  /** Its media type. */
  readonly type: string;
  /** The language, or the figure, that alone needs it; the others are for all. */
  readonly part?: string;
}

/** How long a page may take to come from the network before the kept one is shown, in milliseconds. */
const PATIENCE = 4000;

/**
 * The parts of the pages at these addresses and those of which an earlier version keeps something, and what all need.
 */
export async function partsOf({ files }: Kept, addresses: readonly string[]): Promise<ReadonlySet<string | undefined>> {
  const parts = [undefined, ...addresses.map((address) => files.get(bare(pageAt(address)))?.part)];
  for (const [address, { part }] of files) {
    if (part !== undefined && (await caches.match(address))) parts.push(part);
  }
  return new Set(parts);
}

/**
 * Fetches the files of these parts, of which `undefined` is what all pages need, or takes them from the version before
 * where their names have a hash of their content. Rejects if a file is missing or wrong.
 */
export async function fill({ name, files }: Kept, parts: ReadonlySet<string | undefined>): Promise<void> {
  const cache = await caches.open(name);
  const wanted = [...files].filter(([, { part }]) => parts.has(part));
  await Promise.all(
    wanted.map(async ([address, file]) => {
      const hashed = isHashed(address);
      const old = hashed ? await checked(await caches.match(address), file) : undefined;
      if (old !== undefined) return cache.put(address, old);
      // Past the browser's own cache, which may have the page of last week.
      const init: RequestInit = { cache: hashed ? 'default' : 'no-cache', integrity: `sha256-${file.hash}` };
      return cache.add(new Request(address, init));
    }),
  );
}

/** Keeps the part of a page or file that the reader asks for for the first time. Without a network it does not. */
export async function extend(kept: Kept, address: string): Promise<void> {
  const part = kept.files.get(bare(pageAt(address)))?.part;
  if (part === undefined || (await find(kept, pageAt(address))) !== undefined) return;
  await fill(kept, new Set([part])).catch(() => undefined);
}

/** Drops the versions before this one. */
export async function tidy({ family, name }: Kept): Promise<void> {
  const stale = (await caches.keys()).filter((each) => each.startsWith(family) && each !== name);
  await Promise.all(stale.map((each) => caches.delete(each)));
}

/** Pages from the network while there is one, in time; everything else from what is kept, if it is. */
export async function answer(kept: Kept, request: Request): Promise<Response> {
  if (request.mode !== 'navigate') return (await find(kept, request.url)) ?? fetch(request);
  const fresh = fetch(request);
  // Should it fail after the kept page has been shown, nobody minds.
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
 * Pages are kept as folders: `/en` leads to `/en/`, for what stands in the page is relative to that, and
 * `/en/index.html` is the same.
 */
function pageAt(url: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/index\.html$/, '/').replace(/\/([\w-]+)$/, '/$1/');
  return address.href;
}

/** Without a query and a fragment. */
function bare(url: string): string {
  return url.replace(/[?#].*/s, '');
}

/** Nothing where the browser gives no storage, or where the file is not as the build made it. */
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
 * The answer with the content that the build hashed; nothing if the content is another. All scripts of this origin can
 * write into the cache, so nothing else is taken from it: the headers are made here.
 */
async function checked(found: Response | undefined, { hash, type }: KeptFile): Promise<Response | undefined> {
  if (found === undefined) return undefined;
  const body = await found.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  if (btoa(String.fromCharCode(...digest)) !== hash) return undefined;
  // On a host that isolates its pages, workers start only with the second header. Elsewhere it changes nothing.
  return new Response(body, {
    headers: { 'content-type': type, 'cross-origin-embedder-policy': 'require-corp' },
  });
}

function isHashed(file: string): boolean {
  return /\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(file);
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), PATIENCE));
}
