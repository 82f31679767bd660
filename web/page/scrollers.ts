/**
 * Puts the elements of `selector` into the tab order while their content overflows: the keyboard must be able to scroll
 * them, and must not stop where there is nothing to scroll.
 */
export function watchScrollers(selector: string): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
      else target.removeAttribute('tabindex');
    }
  });
  for (const element of document.querySelectorAll(selector)) observer.observe(element);
}
