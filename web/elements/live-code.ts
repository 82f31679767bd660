import type { FigureCode } from './shared/figure/figure-data.js';

/**
 * How a page runs the code of its figures: `open` puts an element with a figure's code into the figure's slot `code`,
 * where readers edit and run it, and returns a function that removes it. Without it, figures show their code as a
 * listing.
 */
export const liveCode: { open?: (figure: HTMLElement, code: FigureCode) => () => void } = {};
