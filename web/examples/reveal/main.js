import Reveal from './node_modules/reveal.js/dist/reveal.mjs';

new Reveal({
  hash: true,
  height: 900,
  // Keys that are pressed within a figure move its sliders, not the slides.
  keyboardCondition: (event) => !event.target.closest('positional-heatmap, attention-masks'),
}).initialize();
