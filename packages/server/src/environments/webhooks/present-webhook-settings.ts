import assert from "node:assert";
import { type EnvironmentContext, holdsScope } from "#foundation";
import { failingReceivers } from "../hooks.ts";
import { getWebhookTargets } from "./get-webhook-targets.ts";
import { listSigningKeys } from "./list-signing-keys.ts";

/** Settings, and warnings of receivers that fail. */
export async function presentWebhookSettings(ctx: EnvironmentContext) {
  const { settings } = await getWebhookTargets(ctx);
  const failing = await ctx.hooks.ask(failingReceivers, ctx, undefined);
  return {
    ...settings,
    failing_receivers: failing.map(({ url, failingSince, disabledAt }) => ({
      url,
      failing_since: failingSince.toISOString(),
      disabled_at: disabledAt?.toISOString() ?? null,
      message:
        disabledAt === null
          ? "The last attempts failed; they are repeated on their schedule."
          : "Nothing was received for 5 days, so webhooks are held. Correct the endpoint, then call POST /webhooks/receivers/enable.",
    })),
  };
}

/** A key that may change the settings need not be one that may read what signs. */
export function mayReadSigningKeys({ actor }: EnvironmentContext): boolean {
  return holdsScope(actor, "environment:webhooks:read");
}

/** Of a key no more than tells it from another one. */
function mask(key: string): string {
  return `whsec_********${key.slice(-4)}`;
}

/** Whether answers may hold secrets; people see one at a time, each as they ask for it. */
export function showsSecrets({ actor }: EnvironmentContext): boolean {
  if (actor.kind === "user") return false;
  return actor.kind !== "key" || holdsScope(actor, "environment:secrets:reveal");
}

/** In the clear for who may see secrets, or as they are asked for one by one. */
export async function presentSigningKeys(
  ctx: EnvironmentContext,
  { shown = showsSecrets(ctx) } = {},
) {
  const show = (key: string) => (shown ? key : mask(key));
  const keys = await listSigningKeys(ctx);
  const [newest] = keys;
  assert(newest !== undefined, "the environment has no signing key");
  return {
    signing_key: show(newest.key.reveal()),
    signing_keys: keys.map(({ key, createdAt, expiresAt }) => ({
      key: show(key.reveal()),
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
  };
}
