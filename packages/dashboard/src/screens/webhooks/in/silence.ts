import type { WebhookIntake } from "../../../data/environment/webhooks.ts";

const SILENT_MS = 7 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Whether the last webhook came so long ago that somebody should look. */
export function isSilent(lastAt: string, now = Date.now()): boolean {
  return now - Date.parse(lastAt) > SILENT_MS;
}

/** Those that say that nothing proves the sender. */
const ofProof: ReadonlySet<string> = new Set([
  "no_secret",
  "missing_signature",
  "invalid_signature",
]);

/** Whether webhooks arrive of which none was verified for a day. */
export function isUnverified(
  { rejected, last_verified_at: verified }: Pick<WebhookIntake, "rejected" | "last_verified_at">,
  now = Date.now(),
): boolean {
  if (rejected === null || !rejected.reasons.some(({ reason }) => ofProof.has(reason)))
    return false;
  return verified === null || now - Date.parse(verified) > DAY_MS;
}
