/**
 * Leads a link whose target has moved to the page that goes further. Older links name their targets on the section's
 * page, which lists the targets that have moved.
 */
export function followMoved(): void {
  const further = document.querySelector<HTMLAnchorElement>('a[data-moved]');
  const { search, hash } = location;
  if (hash !== '' && further?.dataset.moved?.split(' ').includes(hash.slice(1))) {
    location.replace(further.href + search + hash);
  }
}
