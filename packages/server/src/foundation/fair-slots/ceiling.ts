/**
 * How many of the slots one environment may hold: its share, and where there are two or more never all of them. A
 * share of 1 is the operator's word that nobody else is to be waited for.
 */
export function ceilingOf(slots: number, share: number): number {
  if (share >= 1 || slots < 2) return slots;
  return Math.min(Math.max(1, Math.floor(slots * share)), slots - 1);
}
