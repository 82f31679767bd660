/** A function that calls `draw` with the next frame, once, however often it is called before. */
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
