import { useSyncExternalStore } from "react";

let isPrinting = false;

/** Whether the page is being printed: what is drawn in part on a screen is then drawn whole. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(follow, () => isPrinting);
}

function follow(onChange: () => void): () => void {
  const stop = new AbortController();
  for (const name of ["beforeprint", "afterprint"]) {
    const note = () => {
      isPrinting = name === "beforeprint";
      onChange();
    };
    window.addEventListener(name, note, { signal: stop.signal });
  }
  return () => stop.abort();
}
