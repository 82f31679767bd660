/** How far above the window's bottom a section becomes the current one. */
const LINE = '-60%';

/** Marks the current section in the table of contents, and closes the menu when a section is chosen. */
export function followInContents(): void {
  const list = document.querySelector<HTMLElement>('#contents');
  if (list === null) return;
  const links = [...list.querySelectorAll('a')];
  const headings = links.map(({ hash }) => document.getElementById(hash.slice(1)));
  const passed = new Set<Element | null>();
  const reveal = (link: Element | null): void => {
    if (link instanceof HTMLElement) list.scrollTop = link.offsetTop - list.clientHeight / 2;
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) passed.add(target);
        else passed.delete(target);
      }
      const current = links[headings.findLastIndex((heading) => passed.has(heading))];
      for (const link of links) link.ariaCurrent = link === current ? 'location' : null;
      reveal(current ?? null);
    },
    // Observes everything above the line, so that a long jump misses no heading.
    { rootMargin: `1000000px 0px ${LINE}` },
  );
  for (const heading of headings) if (heading !== null) observer.observe(heading);
  list.addEventListener('toggle', () => reveal(list.querySelector('[aria-current]')));
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') !== null) list.togglePopover?.(false);
  });
}
