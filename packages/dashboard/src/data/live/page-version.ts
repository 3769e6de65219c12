import { useEffect, useRef, useState } from "react";
import { basePath } from "../../start/base-path.ts";

/** Not asked more often when the window is looked at again. */
const LEAST_PAUSE_MS = 60_000;

const TIMEOUT_MS = 10_000;

/** Asked again after this where the server did not answer. */
const AGAIN_MS = 10_000;

/** A stream that opens so long after the page may be that of another server. */
const LATE_MS = 3000;

/** File that this page began with: its name holds the hash of its content. */
const ownScript = document.querySelector("script[src]")?.getAttribute("src")?.split("/").at(-1);

/** Whether the server has another version of the page; undefined where it does not answer. */
async function isOutdated(): Promise<boolean | undefined> {
  if (ownScript === undefined) return false;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(`${basePath}/`, { cache: "no-store", signal });
    const page = await answer.text();
    // A proxy in front may answer with a page of its own.
    if (!answer.ok || !page.includes("jackfield-dashboard")) return undefined;
    return !page.includes(ownScript);
  } catch {
    return undefined;
  }
}

/** Whether the page is older than the server's: asked when the stream of changes is back, and on a new look. */
export function usePageIsOutdated(isStreamOpen: boolean): boolean {
  const [outdated, setOutdated] = useState(false);
  const askedAt = useRef(Date.now());
  const wasOpen = useRef(false);
  useEffect(() => {
    if (outdated) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const ask = async () => {
      askedAt.current = Date.now();
      const is = await isOutdated();
      if (isGone) return;
      if (is === true) setOutdated(true);
      clearTimeout(timer);
      if (is === undefined) timer = setTimeout(ask, AGAIN_MS);
    };
    const look = () => {
      const isSeen = document.visibilityState === "visible";
      if (isSeen && Date.now() - askedAt.current >= LEAST_PAUSE_MS) void ask();
    };
    // The first time the page itself has just come, as a rule.
    if (isStreamOpen && (wasOpen.current || performance.now() > LATE_MS)) void ask();
    if (isStreamOpen) wasOpen.current = true;
    document.addEventListener("visibilitychange", look);
    return () => {
      isGone = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [isStreamOpen, outdated]);
  return outdated;
}
