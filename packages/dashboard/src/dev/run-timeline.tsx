import type { DevCall, DevRun } from "@jackfield/contract";
import { useMemo, useState } from "react";
import { Button } from "react-aria-components/Button";
import { formatSpan, plainText } from "../parts/formats.ts";
import { Card } from "../parts/panels/card.tsx";
import { JsonView } from "../parts/panels/json-view.tsx";
import { Bars } from "../parts/waterfall/bars.tsx";
import { devTexts } from "../texts/screens/dev.ts";
import { useTextsOf } from "../texts/use-texts.ts";
import { layOutRun, type RunBar } from "./run-bars.ts";

/** What a run called, saved and logged, on one time line; a call opens what was asked and answered. */
export function RunTimeline({ run }: { run: DevRun }) {
  const texts = useTextsOf(devTexts);
  const [open, setOpen] = useState<DevCall>();
  const bars = useMemo(() => layOutRun(run), [run]);
  const left = run.callCount + run.saveCount + run.logCount > bars.length ? bars.length : undefined;
  return (
    <Card
      title={texts.timeline}
      actions={
        <span className="soft">
          {texts.timelineText(run.callCount, run.saveCount, formatSpan(run.ranMs))}
        </span>
      }
    >
      {bars.length === 0 ? (
        <p className="soft padded">{texts.didNothing}</p>
      ) : (
        <Bars
          label={texts.timeline}
          bars={bars}
          nameOf={(bar) => <BarName bar={bar} open={open} onOpen={setOpen} />}
        />
      )}
      {left !== undefined && <p className="soft padded">{texts.cut(left)}</p>}
      {open !== undefined && (
        <div className="stack padded">
          <h3>{texts.asked}</h3>
          <JsonView label={texts.asked} value={open.asked} />
          <h3>{texts.answered}</h3>
          <JsonView label={texts.answered} value={open.answered} />
        </div>
      )}
    </Card>
  );
}

function BarName({
  bar: { atMs, what },
  open,
  onOpen,
}: {
  bar: RunBar;
  open: DevCall | undefined;
  onOpen: (call: DevCall | undefined) => void;
}) {
  const texts = useTextsOf(devTexts);
  const at = <span className="soft number">{texts.after(formatSpan(atMs))}</span>;
  if ("call" in what) {
    const call = plainText(what.call, 400);
    return (
      <span className="dev-bar">
        {at}
        <Button
          className="link-button mono cut"
          aria-label={texts.show(call)}
          aria-expanded={what === open}
          onPress={() => onOpen(what === open ? undefined : what)}
        >
          {call}
        </Button>
      </span>
    );
  }
  const text =
    "change" in what
      ? texts.change[what.change](plainText(what.model, 80), what.count)
      : texts.logged(what.level, plainText(what.message, 200));
  return (
    <span className="dev-bar">
      {at}
      <span className="cut" title={text}>
        {text}
      </span>
    </span>
  );
}
