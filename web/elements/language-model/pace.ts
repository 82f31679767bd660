/** Tokens per second, and at most per frame: a slow phone draws fewer frames, with more tokens in each. */
const TOKENS_PER_SECOND = 30;
const TOKENS_PER_FRAME = 8;

/** Calls `write` with a number of tokens in frame after frame, while it returns true. */
export function inFrames(write: (count: number) => boolean, due = 0, before = performance.now()): void {
  requestAnimationFrame((now) => {
    const asked = due + (Math.max(0, now - before) * TOKENS_PER_SECOND) / 1000;
    const count = Math.min(TOKENS_PER_FRAME, Math.floor(asked));
    if (count === 0 || write(count)) inFrames(write, Math.min(1, asked - count), now);
  });
}
