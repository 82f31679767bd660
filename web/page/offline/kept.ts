/** The page's files as the browser keeps them for times without a network. */
export interface Kept {
  /** What all caches of this page's versions begin with; others on the same host have others. */
  readonly family: string;
  /** The cache of this version. */
  readonly name: string;
  /** Addresses of the files. */
  readonly files: readonly string[];
}

/** How long a page may take to come from the network before the kept one is shown, in milliseconds. */
const PATIENCE = 4000;

/** Fetches every file, or takes it from the version before where its name has a hash of its content. Rejects if one is missing. */
export async function fill({ name, files }: Kept): Promise<void> {
  const cache = await caches.open(name);
  await Promise.all(
    files.map(async (file) => {
      const old = isHashed(file) ? await caches.match(file) : undefined;
      if (old !== undefined) return cache.put(file, old);
      // Past the browser's own cache, which may have the page of last week.
      return cache.add(new Request(file, { cache: isHashed(file) ? 'default' : 'no-cache' }));
    }),
  );
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

/** Pages are kept as folders: `/en` leads to `/en/`, for what stands in the page is relative to that, and `/en/index.html` is the same. */
async function page(kept: Kept, url: string): Promise<Response | undefined> {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/index\.html$/, '/').replace(/\/([\w-]+)$/, '/$1/');
  const found = await find(kept, address.href);
  if (found === undefined || url.split(/[?#]/)[0] === address.href.split(/[?#]/)[0]) return found;
  return Response.redirect(address.href);
}

/** Nothing where the browser gives no storage. */
async function find({ name }: Kept, address: string): Promise<Response | undefined> {
  try {
    return await (await caches.open(name)).match(address, { ignoreSearch: true });
  } catch {
    return undefined;
  }
}

function isHashed(file: string): boolean {
  return /\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(file);
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), PATIENCE));
}
