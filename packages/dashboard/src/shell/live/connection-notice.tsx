import { onlineManager } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "react-aria-components/Button";
import { useLive } from "../../data/live/live.ts";
import { type Outage, RETRY_EVERY_MS, retryAll, useLastDataAt } from "../../data/live/outage.ts";
import { retryUnread, useUnshownFault } from "../../data/live/unread-parts.ts";
import { formatMoment, formatSpan, plainText } from "../../parts/formats.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** A stream that is back within this time was not worth a word. */
const PATIENCE_MS = 3000;

/** Says that the server does not answer, or that changes are not heard of: what is on the page stays. */
export function ConnectionNotice({ outage }: { outage: Outage | undefined }) {
  const { shell: texts } = useTexts();
  const { awaySince } = useLive();
  const isLongAway = useIsLong(awaySince);
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const notLiveSince = isLongAway ? awaySince : undefined;
  if (isOnline && outage === undefined && notLiveSince === undefined) return <UnreadNotice />;
  return (
    <div className="notice" role="status">
      <p>
        {!isOnline ? (
          texts.offline
        ) : outage === undefined ? (
          texts.notLive(momentOf(notLiveSince ?? Date.now()))
        ) : (
          <OutageText {...outage} />
        )}
      </p>
      <Button className="button small" onPress={() => void retryAll()}>
        {texts.retry}
      </Button>
    </div>
  );
}

/** Says that something is missing, or from before, which no part of the page says itself. */
function UnreadNotice() {
  const { shell: texts } = useTexts();
  const fault = useUnshownFault();
  if (fault === undefined) return null;
  return (
    <div className="notice" role="status">
      <p>
        {texts.partUnread} {plainText(fault.message, 300)}
      </p>
      <Button className="button small" onPress={() => void retryUnread()}>
        {texts.retry}
      </Button>
    </div>
  );
}

/** A quiet word that this page is older than the server's. */
export function VersionNotice() {
  const { shell: texts } = useTexts();
  return (
    <div className="notice quiet" role="status">
      <p>
        {texts.newVersion} {texts.stillWorks}
      </p>
      <Button className="button small" onPress={() => window.location.reload()}>
        {texts.reload}
      </Button>
    </div>
  );
}

/** Apart, so that what is read is watched only while the server is away. */
function OutageText({ since, status }: Outage) {
  const { shell: texts } = useTexts();
  const readAt = useLastDataAt();
  return [
    status === 0 ? texts.noAnswer(momentOf(since)) : texts.answers(String(status), momentOf(since)),
    readAt === undefined ? "" : texts.dataOf(momentOf(readAt)),
    texts.triedAgain(formatSpan(RETRY_EVERY_MS)),
  ].join(" ");
}

function momentOf(at: number): string {
  return formatMoment(new Date(at).toISOString());
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
