/** Registers an element, unless another copy of its module has: a notebook may load one for each widget. */
export function define(tag: string, element: CustomElementConstructor): void {
  if (customElements.get(tag) === undefined) customElements.define(tag, element);
}
