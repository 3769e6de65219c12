import { counted } from "../counted.ts";

/** Whether webhooks arrive for an integration, and why some are rejected. */
const english = {
  title: "Webhooks of the provider",
  last: "Last received",
  verified: "Last verified",
  never: "never",
  rejected: "Rejected in 24 hours",
  lastRejected: "Last rejected",
  reasons: {
    no_secret: "no signing secret is set",
    missing_signature: "no signature",
    invalid_signature: "wrong signature",
    invalid_payload: "not what the provider sends",
    too_large: "too large",
    rate_limited: "too many",
    no_room: "the inbox is full",
  },
  reason: (count: string, words: string) => `${count} × ${words}`,
  noneVerified: (count: string) =>
    `${counted(count, "webhook")} arrived in 24 hours, but none is verified.`,
  cures: {
    no_secret:
      "The provider signs its webhooks, and this integration has no secret to verify them with. Enter the signing secret that the provider shows as the webhook secret of the integration.",
    missing_signature:
      "A signing secret is set, but the webhooks carry no signature. Check at the provider whether signing is on.",
    invalid_signature:
      "The signature does not fit the signing secret. Copy the secret from the provider again.",
  } as Readonly<Record<string, string>>,
  open: "See what arrived",
  editSecret: "Edit the webhook secret",
};

/** Loaded with the screens that show them. */
export const webhookIntakeTexts = { english };
