import { useSyncExternalStore } from "react";

/** Below it a panel beside a list leaves too little of both. */
const wide = window.matchMedia("(min-width: 1100px)");

/** Whether a panel fits beside a list. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener("change", listener);
      return () => wide.removeEventListener("change", listener);
    },
    () => wide.matches,
  );
}
