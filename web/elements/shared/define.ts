/** Whether there can be elements: on a server there are none. */
export const hasElements = typeof HTMLElement !== 'undefined' && typeof customElements !== 'undefined';

/** Registers an element, unless another copy of its module has: a notebook may load one for each widget. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (hasElements && customElements.get(tag) === undefined) customElements.define(tag, element);
}
