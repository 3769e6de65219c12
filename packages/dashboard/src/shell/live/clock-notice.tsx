import { useState, useSyncExternalStore } from "react";
import { Button } from "react-aria-components/Button";
import { formatSpan } from "../../parts/formats.ts";
import { clockAheadMs, onServerTime } from "../../start/server-clock.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** An answer may be on its way for a while: less than this is no difference. */
const LEAST_MS = 5000;

/** For this visit: each screen starts with notices of its own. */
let isDismissed = false;

/** Says once that the clock of this computer is not the server's: how long something lasts is then shown wrongly. */
export function ClockNotice() {
  const { shell: texts, tables } = useTexts();
  const [isClosed, setClosed] = useState(isDismissed);
  const aheadMs = useSyncExternalStore(onServerTime, clockAheadMs) ?? 0;
  if (isClosed || Math.abs(aheadMs) < LEAST_MS) return null;
  const span = formatSpan(Math.abs(aheadMs));
  return (
    <div className="notice quiet" role="status">
      <p>{aheadMs > 0 ? texts.clockAhead(span) : texts.clockBehind(span)}</p>
      <Button
        className="button small"
        onPress={() => {
          isDismissed = true;
          setClosed(true);
        }}
      >
        {tables.close}
      </Button>
    </div>
  );
}
