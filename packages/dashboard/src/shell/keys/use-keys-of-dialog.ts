import { useEffect } from "react";

/**
 * Keys go to the open dialog also while nothing has the focus: what had it may just have gone, such as a button that gave
 * way to its result, or a dialog in front. Escape closes it then as well.
 */
export function useKeysOfDialog(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target !== document.body) return;
      const dialog = [...document.querySelectorAll<HTMLElement>(dialogs)].at(-1);
      if (dialog === undefined) return;
      dialog.focus();
      if (event.key !== "Escape") return;
      event.stopPropagation();
      const again = { key: event.key, code: event.code, bubbles: true, cancelable: true };
      dialog.dispatchEvent(new KeyboardEvent("keydown", again));
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);
}

const dialogs = ".overlay [role=dialog], .overlay [role=alertdialog]";
