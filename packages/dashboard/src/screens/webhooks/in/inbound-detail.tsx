import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../../data/api.ts";
import type { WholeInbound } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { Badge } from "../../../parts/badge.tsx";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { Time } from "../../../parts/time.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { pageOf as operationPageOf } from "../../operations/operation-words.ts";
import { inboundTones } from "../webhook-words.ts";
import { InboundBody } from "./inbound-body.tsx";
import { InboundEvents, Unmatched } from "./inbound-events.tsx";

/** Everything about one webhook of a provider: what became of it, and the request as it came. */
export function InboundDetail({ inbound }: { inbound: WholeInbound }) {
  const { webhooks: texts } = useTexts();
  return (
    <>
      <p className="padded">
        <Badge tone={inboundTones[inbound.state]}>{texts.inboundStates[inbound.state]}</Badge>
      </p>
      {inbound.error !== null && (
        <section className="banner bad column">
          <p>{plainText(inbound.error, 1000)}</p>
        </section>
      )}
      <Unmatched inbound={inbound} />
      <HandleAgain inbound={inbound} />
      <InboundEvents inbound={inbound} />
      <About inbound={inbound} />
      <Card title={texts.headers}>
        <p className="soft padded">{inbound.has_request ? texts.headersText : texts.noRequest}</p>
        <Facts
          rows={Object.entries(inbound.headers).map(([name, value]) => [
            plainText(name, 100),
            <span className="mono" key={name}>
              {plainText(value, 2000)}
            </span>,
          ])}
        />
      </Card>
      {inbound.has_request && <InboundBody key={inbound.id} id={inbound.id} />}
    </>
  );
}

function HandleAgain({ inbound: { id, has_request: hasRequest } }: { inbound: WholeInbound }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const handle = useMutation({
    mutationFn: async () => await callApi("replayInboundWebhook", { environment, params: { id } }),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["inbound", environment, id] });
      await queryClient.invalidateQueries({ queryKey: ["inbox", environment] });
    },
  });
  return (
    <>
      {handle.isError && <FaultBanner error={handle.error} />}
      <div className="row padded">
        <ScopedButton
          scope="environment:webhooks:replay"
          look="primary"
          reason={hasRequest ? undefined : texts.noRequest}
          isPending={handle.isPending}
          onPress={() => handle.mutate()}
        >
          {texts.handleAgain}
        </ScopedButton>
        <span role="status">{handle.isSuccess ? texts.handledAgain : ""}</span>
      </div>
    </>
  );
}

function About({ inbound }: { inbound: WholeInbound }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { operation_id: operation, handled_at: handledAt } = inbound;
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [texts.integration, plainText(inbound.provider_config_key ?? "")],
          [texts.events, plainText(inbound.types.join(", "), 600)],
          [
            texts.request,
            <span className="mono" key="request">
              {plainText(`${inbound.method} ${inbound.url}`, 600)}
            </span>,
          ],
          [texts.verified, texts.proofs[inbound.verified]],
          [texts.size, texts.bytes(formatNumber(inbound.size))],
          [texts.received, <Time key="received" at={inbound.received_at} />],
          [texts.handled, handledAt !== null && <Time at={handledAt} />],
          [texts.attempts, formatNumber(inbound.attempts)],
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
