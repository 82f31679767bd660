/**
 * What builds of the package have in place of lit's imitation of a DOM for servers: there, figures can be imported but
 * are not drawn.
 */
export const HTMLElement = Object;
export const customElements = undefined;
