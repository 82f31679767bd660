/** A change of the page's address and of what its history entry keeps. It may be made more than once. */
type Change = (address: URL, kept: Record<string, unknown>) => void;

/** How long after a refusal the changes are tried again, in milliseconds. */
const RETRY = 1000;

/** The changes that the browser has not accepted yet. */
let waiting: Change[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Changes the page's history entry. Browsers refuse too many changes (Safari after 100 in 10 seconds): then this one is
 * made later, together with those that follow.
 */
export function changeEntry(change: Change): void {
  waiting.push(change);
  makeChanges();
}

function makeChanges(): void {
  clearTimeout(timer);
  const address = new URL(location.href);
  const kept = { ...(history.state as Record<string, unknown> | null) };
  for (const change of waiting) change(address, kept);
  try {
    history.replaceState(kept, '', address);
    waiting = [];
  } catch {
    timer = setTimeout(makeChanges, RETRY);
  }
}
