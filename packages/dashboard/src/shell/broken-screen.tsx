import { useEffect } from "react";
import { Button } from "react-aria-components/Button";
import { ApiError, callApi } from "../data/api.ts";
import { isAway, RETRY_EVERY_MS } from "../data/live/outage.ts";
import { formatSpan } from "../parts/formats.ts";
import { FaultBanner } from "../parts/panels/fault-banner.tsx";
import { useTexts } from "../texts/use-texts.ts";

/** A screen that threw, or whose code could not be loaded: then the server has a newer version of the page. */
export function BrokenScreen({ error }: { error: unknown }) {
  const { shell: texts } = useTexts();
  if (error instanceof ApiError && isAway(error.status)) return <ServerAway error={error} />;
  const isOutdated = error instanceof TypeError && /import|module|fetch/i.test(error.message);
  return (
    <div className="page-scroll">
      {isOutdated ? <p className="notice">{texts.newVersion}</p> : <FaultBanner error={error} />}
      <Button className="button primary" onPress={() => window.location.reload()}>
        {texts.reload}
      </Button>
    </div>
  );
}

/** Before it has been loaded once, the page is nothing without the server: it begins as soon as the server answers. */
function ServerAway({ error }: { error: ApiError }) {
  const { shell: texts, tables } = useTexts();
  useEffect(() => {
    const look = async () => {
      await callApi("getSignInState");
      window.location.reload();
    };
    const timer = setInterval(() => void look().catch(() => undefined), RETRY_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
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
