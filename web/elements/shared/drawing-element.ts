import { LitElement } from 'lit';

/**
 * An element with drawings, from which a drag selects no text. The styles exclude the drawings' own text; in WebKit, a
 * drag that begins there would select the text around them.
 */
export abstract class DrawingElement extends LitElement {
  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    root.addEventListener('selectstart', (event) => {
      const { target } = event;
      const element = target instanceof Element ? target : (target as Node).parentElement;
      if (element?.closest('svg, canvas')) event.preventDefault();
    });
    return root;
  }
}
