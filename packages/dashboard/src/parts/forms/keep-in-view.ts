const chosenOnes = "[aria-selected=true], [aria-checked=true]";

/**
 * Scrolls an open list to what is chosen in it, also when its height changes: it learns only once it is on the page how
 * much room there is.
 */
export function keepInView(list: HTMLElement | null): (() => void) | undefined {
  if (list === null) return undefined;
  const observer = new ResizeObserver(() => {
    const chosen = list.querySelector(chosenOnes);
    if (chosen === null) return;
    const [inner, outer] = [chosen.getBoundingClientRect(), list.getBoundingClientRect()];
    const isInView = inner.top >= outer.top && inner.bottom <= outer.bottom;
    if (!isInView) list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  });
  observer.observe(list);
  return () => observer.disconnect();
}
