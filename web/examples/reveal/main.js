import Reveal from './node_modules/reveal.js/dist/reveal.mjs';

new Reveal({
  hash: true,
  width: 1200,
  height: 900,
  // Figures draw themselves after reveal.js has measured the slide.
  center: false,
  // Keys that are pressed within a figure move its sliders, not the slides.
  keyboardCondition: (event) => !event.target.closest('positional-heatmap, attention-masks'),
}).initialize();
