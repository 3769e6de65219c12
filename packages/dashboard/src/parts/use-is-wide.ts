import { useSyncExternalStore } from "react";

/** Below it a panel next to a list leaves too little of both. */
const wide = window.matchMedia("(min-width: 1100px)");

/** Whether a panel fits next to a list. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener("change", listener);
      return () => wide.removeEventListener("change", listener);
    },
    () => wide.matches,
  );
}
