/** What a widget's host offers of its state. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** What a host gives to `render`. */
export interface WidgetView {
  model: WidgetModel;
  el: HTMLElement;
}

declare const widget: {
  /**
   * Shows the figure that the model's traits name in `el`, and keeps both alike. Returns a function that removes it.
   */
  render(view: WidgetView): () => void;
};
export default widget;
