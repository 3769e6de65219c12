import { useQuery } from "@tanstack/react-query";
import { intakeQuery, type WebhookIntake } from "../../data/environment/webhooks.ts";
import { formatMoment, formatNumber } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { webhookIntakeTexts } from "../../texts/screens/webhook-intake.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { RejectedWebhooks } from "../webhooks/in/rejected-webhooks.tsx";
import { integrationField } from "./integration-words.ts";

/** When webhooks last came for an integration, and why some were rejected; nothing where none ever came. */
export function IntakeCard({ integration }: { integration: string }) {
  const texts = useTextsOf(webhookIntakeTexts);
  const { name: environment } = useEnvironment();
  const may = useMay("environment:webhooks:read");
  const { data, isError, error, refetch } = useQuery({
    ...intakeQuery(environment, integration),
    enabled: may,
  });
  if (isError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data === null) return null;
  if (data.last_received_at === null && data.rejected === null) return null;
  return (
    <Card title={texts.title}>
      <IntakeFacts intake={data} />
      <RejectedWebhooks intake={data} />
      <p className="row padded">
        {data.rejected !== null && (
          <Go target={integrationField(environment, integration, "webhook_secret")}>
            {texts.editSecret}
          </Go>
        )}
        <Go
          target={{
            to: `${homeOf(environment)}/webhooks/in`,
            search: { integration, range: "all" },
          }}
        >
          {texts.open}
        </Go>
      </p>
    </Card>
  );
}

function IntakeFacts({ intake }: { intake: WebhookIntake }) {
  const texts = useTextsOf(webhookIntakeTexts);
  const { rejected, last_received_at: received, last_verified_at: verified } = intake;
  const reasons = rejected?.reasons.map(({ reason, count }) =>
    texts.reason(formatNumber(count), texts.reasons[reason]),
  );
  const last =
    rejected && `${formatMoment(rejected.last_at)}: ${texts.reasons[rejected.last_reason]}`;
  return (
    <Facts
      rows={[
        [texts.last, received === null ? texts.never : formatMoment(received)],
        [texts.verified, verified === null ? texts.never : formatMoment(verified)],
        [texts.rejected, reasons?.length ? reasons.join(", ") : undefined],
        [texts.lastRejected, last ?? undefined],
      ]}
    />
  );
}
