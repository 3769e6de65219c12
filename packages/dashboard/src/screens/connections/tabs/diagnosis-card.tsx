import { useMutation } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../../../data/api.ts";
import { type ConnectionName, callOfConnection } from "../../../data/connections.ts";
import { Badge, type Tone } from "../../../parts/badge.tsx";
import { formatSpan, plainText, withLocalTimes } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

type Diagnosis = AnswerOf<"diagnoseConnection">["data"];
type Check = Diagnosis["checks"][number];

const tones: Readonly<Record<Check["status"], Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  skipped: "idle",
};

/** Tries each part of the way to the provider, and says what to do. */
export function DiagnosisCard({ name }: { name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const diagnose = useMutation({
    mutationFn: async () =>
      (await callApi("diagnoseConnection", { environment, ...callOfConnection(name) })).data,
  });
  return (
    <Card
      title={texts.diagnosis}
      actions={
        <ScopedButton
          scope="environment:connections:read"
          isPending={diagnose.isPending}
          onPress={() => diagnose.mutate()}
        >
          {texts.diagnose}
        </ScopedButton>
      }
    >
      {diagnose.isError && <FaultBanner error={diagnose.error} />}
      {diagnose.data === undefined ? (
        <p className="soft padded">{texts.diagnosisText}</p>
      ) : (
        <ol className="runs" aria-live="polite">
          {diagnose.data.checks.map((check) => (
            <OneCheck key={check.check} check={check} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function OneCheck({ check }: { check: Check }) {
  const { connections: texts } = useTexts();
  const { status, message, next_step: next, upstream } = check;
  return (
    <li className="change">
      <Badge tone={tones[status]}>{texts.checkStates[status]}</Badge>
      <span className="grow">
        <strong>{texts.checks[check.check]}</strong> {plainText(withLocalTimes(message), 600)}{" "}
        {next !== null && plainText(next, 600)}
        {upstream !== null && <code> {plainText(`${upstream.status} ${upstream.body}`, 400)}</code>}
      </span>
      <span className="number">{status === "skipped" ? "" : formatSpan(check.duration_ms)}</span>
    </li>
  );
}
