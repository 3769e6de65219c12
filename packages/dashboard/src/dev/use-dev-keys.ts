import { useEffect } from "react";
import { usePreferences } from "../data/preferences.ts";
import { isTyping } from "../parts/is-typing.ts";

/** Single keys of this page; `r` presses the button to run again. None is taken from a field. */
export function useDevKeys(keys: Readonly<Record<string, () => void>>): void {
  const { shortcuts } = usePreferences();
  useEffect(() => {
    if (!shortcuts) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === "r") {
        document.querySelector<HTMLElement>("[data-shortcut=r]")?.click();
        return;
      }
      keys[event.key]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}
