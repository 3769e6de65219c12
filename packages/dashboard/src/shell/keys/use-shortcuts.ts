import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { usePreferences } from "../../data/preferences.ts";
import { copyText } from "../../parts/copy-text.ts";
import { isTyping } from "../../parts/is-typing.ts";
import { addressOfEntry, menuEntries } from "../screens.ts";

type Overlay = "palette" | "help";

const CHORD_MS = 1200;

/** Keys that work on every screen; single ones can be switched off, and are not taken from fields. */
export function useShortcuts(environment: string | undefined) {
  const [overlay, setOverlay] = useState<Overlay>();
  const { shortcuts } = usePreferences();
  const navigate = useNavigate();
  const chordAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOverlay("palette");
        return;
      }
      if (!shortcuts || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) {
        return;
      }
      if (event.timeStamp - chordAt.current < CHORD_MS) {
        chordAt.current = Number.NEGATIVE_INFINITY;
        const entry = menuEntries.find(({ key }) => key === event.key);
        if (entry === undefined || environment === undefined) return;
        event.preventDefault();
        void navigate({ to: addressOfEntry(entry, environment) });
        return;
      }
      if (event.key === "g") chordAt.current = event.timeStamp;
      else if (event.key === "?") setOverlay("help");
      else if (event.key === "y") void copyText(window.location.href);
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-shortcut=search]")?.focus();
      } else clickShortcut(event.key);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [environment, navigate, shortcuts]);
  return { overlay, show: setOverlay, close: () => setOverlay(undefined) };
}

/** Buttons of the open panel that a key stands for. */
function clickShortcut(key: string): void {
  if (!["[", "]", "o"].includes(key)) return;
  document.querySelector<HTMLElement>(`[data-shortcut="${key}"]`)?.click();
}
