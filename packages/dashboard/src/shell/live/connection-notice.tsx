import { onlineManager } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useLive } from "../../data/live/live.ts";
import { formatMoment } from "../../parts/formats.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** A stream that is back within this time was not worth a word. */
const PATIENCE_MS = 3000;

/** Says that the browser has no network, or that changes are not heard of: what is on the page stays. */
export function ConnectionNotice() {
  const { shell: texts } = useTexts();
  const { awaySince } = useLive();
  const isLongAway = useIsLong(awaySince);
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  if (isOnline && !(isLongAway && awaySince !== undefined)) return null;
  return (
    <p className="notice" role="status">
      {isOnline && awaySince !== undefined
        ? texts.notLive(formatMoment(new Date(awaySince).toISOString()))
        : texts.offline}
    </p>
  );
}

function useIsLong(since: number | undefined): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (since === undefined) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, since + PATIENCE_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  return isLong;
}
