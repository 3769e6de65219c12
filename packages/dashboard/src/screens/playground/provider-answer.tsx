import type { AnswerOf } from "../../data/api.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, formatSpan } from "../../parts/formats.ts";
import { ValueView } from "../../parts/json/value-view.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView, TextView } from "../../parts/panels/json-view.tsx";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

type Answer = AnswerOf<"sendProxyRequest">["data"];

/** What the provider answered, as text: none of it becomes a part of this page. */
export function ProviderAnswer({
  error,
  answer,
  isPending,
}: {
  error: unknown;
  answer: Answer | undefined;
  isPending: boolean;
}) {
  const texts = useTextsOf(playgroundTexts);
  return (
    <div className="stack" aria-live="polite">
      <Card
        title={texts.answer}
        actions={
          answer && (
            <Badge tone={answer.status < 400 ? "good" : "bad"}>{String(answer.status)}</Badge>
          )
        }
      >
        {isPending && <p className="padded">{texts.running}</p>}
        {!isPending && error !== null && <FaultBanner error={error} />}
        {!isPending && error === null && answer === undefined && (
          <p className="soft padded">{texts.noAnswer}</p>
        )}
        {!isPending && answer !== undefined && <Body answer={answer} />}
      </Card>
      {!isPending && answer !== undefined && (
        <Card title={texts.headers}>
          <JsonView label={texts.headers} value={answer.headers} />
        </Card>
      )}
    </div>
  );
}

function Body({ answer }: { answer: Answer }) {
  const texts = useTextsOf(playgroundTexts);
  const value = toJson(answer);
  const { credentials_ms: credentials, wait_ms: wait, upstream_ms: upstream } = answer.timing;
  return (
    <>
      <Facts
        rows={[
          [texts.size, texts.bytes(formatNumber(answer.size))],
          [texts.tookTime, formatSpan(answer.duration_ms)],
          [texts.timing.credentials, formatSpan(credentials)],
          [texts.timing.wait, wait > 0 && formatSpan(wait)],
          [texts.timing.upstream, formatSpan(upstream)],
        ]}
      />
      {answer.body_encoding === "base64" && <p className="soft padded">{texts.binary}</p>}
      {value === undefined ? (
        <TextView label={texts.answer} text={answer.body} />
      ) : (
        <ValueView label={texts.answer} value={value} />
      )}
    </>
  );
}

function toJson({ body, body_encoding: encoding }: Answer): unknown {
  if (encoding !== "text") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
