import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { usePreferences } from "../../data/preferences.ts";
import { setZone } from "../../parts/clock/zone.ts";
import { copyText } from "../../parts/copy-text.ts";
import { plainText, zoneOf } from "../../parts/formats.ts";
import { isTyping } from "../../parts/is-typing.ts";
import { changePreferences, preferencesOfBrowser } from "../../start/stored-preferences.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { holdTyping } from "../palette/typed-ahead.ts";
import { addressOfEntry, menuEntries } from "../screens.ts";
import { idOfPage } from "./id-of-page.ts";
import { noteKey } from "./key-note.tsx";

type Overlay = "palette" | "help";

const CHORD_MS = 1200;

/** Keys that work on every screen; single ones can be switched off, and are not taken from fields. */
export function useShortcuts(environment: string | undefined) {
  const [overlay, setOverlay] = useState<Overlay>();
  const { shortcuts } = usePreferences();
  const navigate = useNavigate();
  const router = useRouter();
  const { shell: texts } = useTexts();
  const chordAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (document.querySelector(".palette") === null) holdTyping();
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
      else if (event.key === "y") {
        void copyText(window.location.href).then((isCopied) =>
          noteKey(isCopied ? texts.linkCopied : texts.notCopied),
        );
      } else if (event.key === "c") void copyId(idOfPage(router), texts);
      else if (event.key === "t") changeZone(texts);
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-shortcut=search]")?.focus();
      } else clickShortcut(event.key);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [environment, navigate, router, shortcuts, texts]);
  return { overlay, show: setOverlay, close: () => setOverlay(undefined) };
}

async function copyId(id: string | undefined, texts: Texts["shell"]): Promise<void> {
  if (id === undefined) noteKey(texts.nothingToCopy);
  else noteKey((await copyText(id)) ? texts.idCopied(plainText(id, 60)) : texts.notCopied);
}

/** Between the reader's clock and UTC. */
function changeZone(texts: Texts["shell"]): void {
  const utc = !preferencesOfBrowser().utc;
  changePreferences({ utc });
  setZone(utc ? "UTC" : "local");
  noteKey(utc ? texts.inUtc : texts.inLocalTime(zoneOf(undefined)));
}

/** Buttons of the list or the open panel that a key stands for. */
function clickShortcut(key: string): void {
  if (!["[", "]", "o", "l"].includes(key)) return;
  document.querySelector<HTMLElement>(`[data-shortcut="${key}"]`)?.click();
}
