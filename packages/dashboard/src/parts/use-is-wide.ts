import { useSyncExternalStore } from "react";

/** Below it a panel next to a list leaves too little of both. */
const wide = window.matchMedia("(min-width: 1100px)");

/** From here on a list has room for one more column than fits into 1280 pixels. */
const roomy = window.matchMedia("(min-width: 1380px)");

/** Whether a panel fits next to a list. */
export function useIsWide(): boolean {
  return useMatches(wide);
}

/** Whether a list has room for a column that others can do without. */
export function useHasRoom(): boolean {
  return useMatches(roomy);
}

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
}
