import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useTexts } from "../texts/use-texts.ts";

/** Says that the browser has no network: what is on the page stays. */
export function ConnectionNotice() {
  const { shell: texts } = useTexts();
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  if (isOnline) return null;
  return (
    <p className="notice" role="status">
      {texts.offline}
    </p>
  );
}
