import { useMutation } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../../../data/api.ts";
import type { Receiver } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { Badge } from "../../../parts/badge.tsx";
import { formatNumber, formatShortDay, formatSpan, plainText } from "../../../parts/formats.ts";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import type { Texts } from "../../../texts/english.ts";
import { webhookTexts } from "../../../texts/environment/webhooks.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { receiverTones } from "../webhook-words.ts";

const WRITE = "environment:webhooks:write";

/** The addresses that webhooks go to: how they do, a test event, and enabling one that was given up. */
export function Receivers({ receivers }: { receivers: readonly Receiver[] }) {
  const { webhooks: texts } = useTexts();
  const { fastest } = useTextsOf(webhookTexts);
  const { name: environment } = useEnvironment();
  const readAgain = async () => {
    await queryClient.invalidateQueries({ queryKey: ["receivers", environment] });
    await queryClient.invalidateQueries({ queryKey: ["deliveries", environment] });
  };
  const test = useMutation({
    mutationFn: async (url: string) =>
      (await callApi("testWebhookReceiver", { environment, body: { url } })).data,
    onSettled: readAgain,
  });
  const enable = useMutation({
    mutationFn: async (url: string) =>
      await callApi("enableWebhookReceiver", { environment, body: { url } }),
    onSettled: readAgain,
  });
  if (receivers.length === 0) return null;
  const error = test.error ?? enable.error;
  return (
    <section className="card receivers" aria-label={texts.receivers}>
      {error !== null && <FaultBanner error={error} />}
      {test.data !== undefined && <TestResult result={test.data} />}
      <ul className="plain-list">
        {receivers.map((receiver) => (
          <li key={receiver.id} className="row padded">
            <Badge tone={receiverTones[receiver.state]}>
              {texts.receiverStates[receiver.state]}
            </Badge>
            <span className="grow">{plainText(receiver.url, 120)}</span>
            <span className="soft">{figuresOf(receiver, texts, fastest)}</span>
            {receiver.state === "disabled" && (
              <ScopedButton
                scope={WRITE}
                look="small"
                isPending={enable.isPending && enable.variables === receiver.url}
                onPress={() => enable.mutate(receiver.url)}
              >
                {texts.enable}
              </ScopedButton>
            )}
            <ScopedButton
              scope={WRITE}
              look="small"
              isPending={test.isPending && test.variables === receiver.url}
              onPress={() => test.mutate(receiver.url)}
            >
              {texts.test}
            </ScopedButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How the latest webhooks to it went and how fast it answers, what waits, and since when it fails. */
function figuresOf(
  { state, recent, held, failing_since: since }: Receiver,
  texts: Texts["webhooks"],
  fastest: (span: string) => string,
) {
  const { delivered, sent, duration_p95_ms: p95 } = recent;
  const left = formatNumber(held);
  return [
    sent === 0 ? texts.nothingSent : texts.recent(formatNumber(delivered), formatNumber(sent)),
    p95 === null ? undefined : fastest(formatSpan(p95)),
    held === 0 ? undefined : state === "disabled" ? texts.held(left) : texts.waits(left),
    since === null ? undefined : texts.failingSince(formatShortDay(since)),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** What the address answered to a test event. */
function TestResult({ result }: { result: AnswerOf<"testWebhookReceiver">["data"] }) {
  const { webhooks: texts } = useTexts();
  const { delivered, status, error, answer, duration_ms: took, url } = result;
  const outcome =
    status === null ? (error ?? "") : texts.testGood(String(status), formatSpan(took));
  return (
    <div className={delivered ? "banner" : "banner bad"} role="status">
      <div>
        <strong>{texts.tested(plainText(url, 120))}</strong>
        <p>{[delivered ? "" : texts.testBad, plainText(outcome, 400)].join(" ").trim()}</p>
        {answer !== "" && <pre className="code">{plainText(answer, 1024)}</pre>}
      </div>
    </div>
  );
}
