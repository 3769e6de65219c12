import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ApiError, callApi } from "../data/api.ts";
import { isAway, RETRY_EVERY_MS } from "../data/live/outage.ts";
import { formatSpan } from "../parts/formats.ts";
import { FaultBanner } from "../parts/panels/fault-banner.tsx";
import { useTexts } from "../texts/use-texts.ts";

/** A screen that threw, or whose code could not be loaded. */
export function BrokenScreen({ error }: { error: unknown }) {
  const { shell: texts } = useTexts();
  if (error instanceof ApiError && isAway(error.status)) return <ServerAway error={error} />;
  const isMissing = error instanceof TypeError && /import|module|fetch/i.test(error.message);
  return (
    <div className="page-scroll">
      {isMissing ? <CodeMissing /> : <FaultBanner error={error} />}
      <Button className="button primary" onPress={() => window.location.reload()}>
        {texts.reload}
      </Button>
    </div>
  );
}

/** A younger page is not loaded again by itself: where that does not help, it would be for ever. */
const LEAST_AGE_MS = 60_000;

/**
 * The server is being replaced, or is so much newer that it no longer has the code of this page. Its address is that of
 * the screen already, so that loading it again shows what was asked for.
 */
function CodeMissing() {
  const { shell: texts } = useTexts();
  const [isYoung] = useState(() => performance.now() < LEAST_AGE_MS);
  useReloadOnAnswer(!isYoung);
  return (
    <p className="notice" role="status">
      {texts.codeMissing} {isYoung ? "" : texts.triedAgain(formatSpan(RETRY_EVERY_MS))}
    </p>
  );
}

/** Before it has been loaded once, the page is nothing without the server: it begins as soon as the server answers. */
function ServerAway({ error }: { error: ApiError }) {
  const { shell: texts, tables } = useTexts();
  useReloadOnAnswer(true);
  return (
    <main className="access">
      <div className="card padded">
        <p className="soft">{texts.product}</p>
        <h1>{error.status === 0 ? tables.unreachableTitle : tables.unavailableTitle}</h1>
        <p role="status">
          {error.status === 0 ? "" : `${error.message} `}
          {texts.triedAgain(formatSpan(RETRY_EVERY_MS))}
        </p>
        <Button className="button primary" onPress={() => window.location.reload()}>
          {texts.retry}
        </Button>
      </div>
    </main>
  );
}

/** Loads the page again once the server answers. */
function useReloadOnAnswer(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const look = async () => {
      await callApi("getSignInState");
      window.location.reload();
    };
    const timer = setInterval(() => void look().catch(() => undefined), RETRY_EVERY_MS);
    return () => clearInterval(timer);
  }, [isWanted]);
}
