import type { FigureCode } from './shared/figure/figure-data.js';

/**
 * What a page does with the code of its figures, if it can run it: `open` puts an element with the code of a figure
 * into the figure's slot `code`, where it is changed and run, and returns what takes it away again. Without it, figures
 * show their code to be read and copied.
 */
export const liveCode: { open?: (figure: HTMLElement, code: FigureCode) => () => void } = {};
