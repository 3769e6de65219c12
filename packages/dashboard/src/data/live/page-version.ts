import { useEffect, useRef, useState } from "react";
import { basePath } from "../../start/base-path.ts";

/** Not asked more often when the window is looked at again. */
const LEAST_PAUSE_MS = 60_000;

const TIMEOUT_MS = 10_000;

/** File that this page began with: its name holds the hash of its content. */
const ownScript = document.querySelector("script[src]")?.getAttribute("src")?.split("/").at(-1);

/** Whether the server has another version of the page; false where it does not answer. */
async function isOutdated(): Promise<boolean> {
  if (ownScript === undefined) return false;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(`${basePath}/`, { cache: "no-store", signal });
    const page = await answer.text();
    // A proxy in front may answer with a page of its own.
    return answer.ok && page.includes("jackfield-dashboard") && !page.includes(ownScript);
  } catch {
    return false;
  }
}

/** Whether the page is older than the server's: asked when the stream of changes is back, and on a new look. */
export function usePageIsOutdated(isStreamOpen: boolean): boolean {
  const [outdated, setOutdated] = useState(false);
  const askedAt = useRef(Date.now());
  const wasOpen = useRef(false);
  useEffect(() => {
    if (outdated) return;
    const ask = () => {
      askedAt.current = Date.now();
      void isOutdated().then((is) => is && setOutdated(true));
    };
    const look = () => {
      const isSeen = document.visibilityState === "visible";
      if (isSeen && Date.now() - askedAt.current >= LEAST_PAUSE_MS) ask();
    };
    // The first time the page itself has just come.
    if (isStreamOpen && wasOpen.current) ask();
    if (isStreamOpen) wasOpen.current = true;
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isStreamOpen, outdated]);
  return outdated;
}
