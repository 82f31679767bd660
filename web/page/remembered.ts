/** What the browser remembers under a name between visits: texts by key. Nothing where the page may not store anything. */
export function recall(store: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(localStorage.getItem(store) ?? '{}') as object | null) };
  } catch {
    return {};
  }
}

/** Remembers a text, or forgets it. */
export function remember(store: string, key: string, text: string | undefined): void {
  try {
    localStorage.setItem(store, JSON.stringify({ ...recall(store), [key]: text }));
  } catch {
    // It lasts until the page is left.
  }
}
