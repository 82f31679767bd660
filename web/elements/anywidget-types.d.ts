/** The interface of a widget's model. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** What a host passes to `render`. */
export interface WidgetView {
  model: WidgetModel;
  el: HTMLElement;
}

declare const widget: {
  /**
   * Shows the figure that the model's traits name in `el`, and keeps figure and model in sync. Returns a function that
   * removes it.
   */
  render(view: WidgetView): () => void;
};
export default widget;
