/** Returns a function that calls `draw` in the next frame, and only once per frame however often it is called. */
export function onceAFrame(draw: () => void): () => void {
  let frame = 0;
  return () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
}
