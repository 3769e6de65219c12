/**
 * How many of the places one environment may hold: its share, and where there are two or more never all of them. A
 * share of 1 is the operator's word that nobody else is to be waited for.
 */
export function ceilingOf(places: number, share: number): number {
  if (share >= 1 || places < 2) return places;
  return Math.min(Math.max(1, Math.floor(places * share)), places - 1);
}
