import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../../data/api.ts";
import type { WholeDelivery } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { Badge } from "../../../parts/badge.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatMoment, formatNumber, formatSpan, plainText } from "../../../parts/formats.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { TextView } from "../../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { Time } from "../../../parts/time.tsx";
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { webhookTexts } from "../../../texts/environment/webhooks.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../../connections/connection-words.ts";
import { pageOf as operationPageOf } from "../../operations/operation-words.ts";
import { deliveryTones } from "../webhook-words.ts";

/** Everything about one webhook: what became of it, each attempt with its answer, and the very bytes. */
export function DeliveryDetail({ delivery }: { delivery: WholeDelivery }) {
  const { webhooks: texts } = useTexts();
  return (
    <>
      <p className="padded">
        <Badge tone={deliveryTones[delivery.state]}>{texts.states[delivery.state]}</Badge>
      </p>
      <Replay delivery={delivery} />
      <Attempts delivery={delivery} />
      <SentHeaders delivery={delivery} />
      <Card title={texts.body} actions={<CopyButton isSmall text={() => delivery.body} />}>
        <TextView label={texts.body} text={delivery.body} />
      </Card>
      <About delivery={delivery} />
      <Card title={texts.verify}>
        <p className="soft padded">{texts.verifyText}</p>
        <pre className="code">{verifyCode}</pre>
      </Card>
    </>
  );
}

const verifyCode = [
  'import { Jackfield } from "@jackfield/node";',
  "",
  "const jackfield = new Jackfield({ apiKey, webhookSigningKey });",
  "const event = await jackfield.verifyWebhook(rawBody, request.headers);",
].join("\n");

function Replay({ delivery: { id } }: { delivery: WholeDelivery }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const replay = useMutation({
    mutationFn: async () => await callApi("replayWebhookDelivery", { environment, params: { id } }),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["delivery", environment, id] });
      await queryClient.invalidateQueries({ queryKey: ["deliveries", environment] });
    },
  });
  return (
    <>
      {replay.isError && <FaultBanner error={replay.error} />}
      <div className="row padded">
        <ScopedButton
          scope="environment:webhooks:replay"
          look="primary"
          isPending={replay.isPending}
          onPress={() => replay.mutate()}
        >
          {texts.replay}
        </ScopedButton>
        <span role="status">{replay.isSuccess ? texts.replayed : ""}</span>
      </div>
    </>
  );
}

function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function Attempts({ delivery: { attempts } }: { delivery: WholeDelivery }) {
  const { webhooks: texts } = useTexts();
  return (
    <Card title={texts.attempts}>
      {attempts.length === 0 && <p className="soft padded">{texts.noAttempts}</p>}
      <ol className="runs">
        {attempts.map(({ created_at: at, status, error, answer, duration_ms: took }) => (
          <li key={at}>
            <Badge tone={isTaken(status) ? "good" : "bad"}>
              {status === null ? texts.noAnswer : String(status)}
            </Badge>
            <Time at={at} />
            <span className="mono soft cut" title={plainText(answer ?? error ?? "", 1024)}>
              {plainText([error, answer].filter((part) => part !== null).join(" · "))}
            </span>
            <span className="number">{formatSpan(took)}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** What the endpoint could check the last attempt by, or another one that is chosen. */
function SentHeaders({ delivery: { attempts } }: { delivery: WholeDelivery }) {
  const texts = useTextsOf(webhookTexts);
  const { words, change } = useAddress();
  const asked = Number(words["attempt"]);
  const nth = attempts[asked - 1] === undefined ? attempts.length : asked;
  const attempt = attempts[nth - 1];
  if (attempt === undefined) return null;
  return (
    <Card title={texts.sentHeaders(formatNumber(nth))}>
      {attempts.length > 1 && (
        <div className="padded">
          <ChoiceInput
            label={texts.chooseAttempt}
            value={String(nth)}
            choices={attempts.map(({ created_at: at }, place) => ({
              id: String(place + 1),
              text: `${formatNumber(place + 1)} · ${formatMoment(at)}`,
            }))}
            onChange={(chosen) => change({ attempt: chosen }, { replace: true })}
          />
        </div>
      )}
      {attempt.headers === null && <p className="soft padded">{texts.noHeaders}</p>}
      <Facts
        rows={Object.entries(attempt.headers ?? {}).map(([name, value]) => [
          name,
          <span className="mono wrap" key={name}>
            {plainText(value, 1000)}
          </span>,
        ])}
      />
    </Card>
  );
}

function About({ delivery }: { delivery: WholeDelivery }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const {
    connection_id: connection,
    provider_config_key: integration,
    operation_id: operation,
  } = delivery;
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [texts.type, texts.types[delivery.type]],
          [texts.receiver, plainText(delivery.url, 400)],
          [texts.webhookId, plainText(delivery.webhook_id)],
          [texts.integration, plainText(integration ?? "")],
          [
            texts.connection,
            connection !== null && integration !== null && (
              <Go
                target={connectionPageOf(environment, {
                  connection_id: connection,
                  provider_config_key: integration,
                })}
              >
                {plainText(connection)}
              </Go>
            ),
          ],
          [texts.time, <Time key="time" at={delivery.created_at} />],
          [texts.next, delivery.next_attempt_at && <Time at={delivery.next_attempt_at} />],
          [texts.ended, delivery.ended_at && <Time at={delivery.ended_at} />],
          [
            texts.operation,
            operation !== null && (
              <Go target={operationPageOf(environment, operation)}>{texts.openOperation}</Go>
            ),
          ],
        ]}
      />
    </Card>
  );
}
