/** How long to wait after so many failures in a row, from 1 on: the first wait doubles up to the longest. */
export function backoffMs(
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
  failures: number,
): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(failures - 1, 0), MOST_DOUBLINGS), longestMs);
}

// Beyond any longest wait, and far from what a number cannot hold.
const MOST_DOUBLINGS = 30;
