/** Tokens per second, and at most per frame: a slow phone draws fewer frames, with more tokens in each. */
const TOKENS_PER_SECOND = 90;
const TOKENS_PER_FRAME = 8;

/** Writes some tokens in each frame while `canContinue`. */
export function inFrames(
  canContinue: () => boolean,
  write: (count: number) => void,
  due = 0,
  before = performance.now(),
): void {
  requestAnimationFrame((now) => {
    if (!canContinue()) return;
    const asked = due + (Math.max(0, now - before) * TOKENS_PER_SECOND) / 1000;
    const count = Math.min(TOKENS_PER_FRAME, Math.floor(asked));
    if (count > 0) write(count);
    inFrames(canContinue, write, Math.min(1, asked - count), now);
  });
}
