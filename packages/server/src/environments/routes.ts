import assert from "node:assert";
import type { environmentRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { getWebhookTargets } from "./get-webhook-targets.ts";
import { listEnvironmentVariables } from "./list-environment-variables.ts";
import { listSigningKeys } from "./list-signing-keys.ts";
import { listEnvironments } from "./store.ts";
import { updateWebhookSettings } from "./update-webhook-settings.ts";

export const environmentHandlers = {
  listEnvironments: async (ctx) => {
    assert(ctx.actor.kind === "key");
    const environments = await listEnvironments(ctx.db, ctx.actor.accountId);
    return {
      data: environments.map(({ id, name, isProduction, createdAt }) => ({
        id,
        name,
        is_production: isProduction,
        created_at: createdAt.toISOString(),
      })),
    };
  },
  getWebhookSettings: async (ctx) => await presentWebhookSettings(ctx),
  updateWebhookSettings: async (ctx, { body }) => {
    await updateWebhookSettings(ctx, body);
    return await presentWebhookSettings(ctx);
  },
  listEnvironmentVariables: async (ctx) => await listEnvironmentVariables(ctx),
} satisfies RouteHandlers<typeof environmentRoutes>;

async function presentWebhookSettings(ctx: EnvironmentContext) {
  const { settings } = await getWebhookTargets(ctx);
  const keys = await listSigningKeys(ctx);
  return {
    data: {
      ...settings,
      signing_keys: keys.map(({ key, createdAt, expiresAt }) => ({
        key: key.reveal(),
        created_at: createdAt.toISOString(),
        expires_at: expiresAt?.toISOString() ?? null,
      })),
    },
  };
}
