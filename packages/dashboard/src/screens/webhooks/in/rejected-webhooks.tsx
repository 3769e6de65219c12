import type { WebhookIntake } from "../../../data/environment/webhooks.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { webhookIntakeTexts } from "../../../texts/screens/webhook-intake.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { isUnverified } from "./silence.ts";

/** Says that webhooks arrive and none is verified, with the cure; nothing where that is not so. */
export function RejectedWebhooks({ intake }: { intake: WebhookIntake }) {
  const texts = useTextsOf(webhookIntakeTexts);
  const { rejected } = intake;
  if (rejected === null || !isUnverified(intake)) return null;
  return (
    <div className="banner warn">
      <div>
        <strong>{texts.noneVerified(formatNumber(rejected.last_24h))}</strong>
        <p>{texts.cures[rejected.reasons[0]?.reason ?? rejected.last_reason]}</p>
      </div>
    </div>
  );
}
