import type { DryRun } from "../../data/functions/dry-runs.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatSpan, plainText } from "../../parts/formats.ts";
import { ValueView } from "../../parts/json/value-view.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { TextView } from "../../parts/panels/json-view.tsx";
import { useMay } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { type Asked, LiveOutput, LiveRun } from "./live-run.tsx";
import { SavedRecords } from "./saved-records.tsx";

export type Outcome =
  | { readonly kind: "dry"; readonly run: DryRun }
  | { readonly kind: "real"; readonly answer: unknown };

/** What came of a run: its result, why it failed, and what it logged. */
export function RunResult({
  error,
  outcome,
  isPending,
  asked,
}: {
  error: unknown;
  outcome: Outcome | undefined;
  isPending: boolean;
  asked: Asked | undefined;
}) {
  const mayRead = useMay("environment:logs:read");
  const texts = useTextsOf(playgroundTexts);
  return (
    <div className="stack" aria-live="polite">
      <Card title={texts.result} actions={<Took outcome={outcome} />}>
        {isPending && <p className="padded">{texts.running}</p>}
        {!isPending && error !== null && <FaultBanner error={error} />}
        {!isPending && error === null && <Shown outcome={outcome} />}
      </Card>
      {isPending && asked?.kind === "dry" && <LiveOutput output={asked.output} />}
      {asked?.kind === "real" && mayRead && <LiveRun key={asked.at} asked={asked} />}
      {!isPending && outcome?.kind === "dry" && outcome.run.output !== undefined && (
        <Card title={texts.log}>
          <TextView label={texts.log} text={outcome.run.output} />
        </Card>
      )}
    </div>
  );
}

function Took({ outcome }: { outcome: Outcome | undefined }) {
  const texts = useTextsOf(playgroundTexts);
  if (outcome === undefined) return null;
  if (outcome.kind === "real") return <Badge tone="good">{texts.success}</Badge>;
  const { status, duration_ms: took } = outcome.run;
  return (
    <span className="row">
      <Badge tone={status === "success" ? "good" : "bad"}>
        {status === "success" ? texts.success : texts.failed}
      </Badge>
      {took !== undefined && formatSpan(took)}
    </span>
  );
}

function Shown({ outcome }: { outcome: Outcome | undefined }) {
  const texts = useTextsOf(playgroundTexts);
  if (outcome === undefined) return <p className="soft padded">{texts.noResult}</p>;
  if (outcome.kind === "real") return <ValueView label={texts.result} value={outcome.answer} />;
  const { error, result } = outcome.run;
  return (
    <>
      {error !== undefined && (
        <section className="banner bad column">
          <strong>{plainText(error.code)}</strong>
          <p>{plainText(error.message, 4000)}</p>
        </section>
      )}
      {result !== undefined && (
        <>
          <SavedRecords result={result} />
          <ValueView label={texts.result} value={result} />
        </>
      )}
    </>
  );
}
