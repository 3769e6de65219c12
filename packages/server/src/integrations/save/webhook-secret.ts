type Values = Readonly<Record<string, string>>;

/** Under which names the secret of a provider's webhooks may stand in `custom`. */
const NAMES = ["webhook_secret", "webhookSecret"];

/** Takes the secret out of `custom`, which anyone who reads integrations sees; an empty one clears it. */
export function takeWebhookSecret(custom: Values): {
  readonly custom: Values;
  readonly webhookSecret: string | undefined;
} {
  const given = NAMES.map((name) => custom[name]).find((value) => value !== undefined);
  const others = Object.entries(custom).filter(([name]) => !NAMES.includes(name));
  return { custom: Object.fromEntries(others), webhookSecret: given };
}
