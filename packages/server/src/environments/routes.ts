import type { environmentRoutes, Scope } from "@jackfield/contract";
import { findAccount } from "#accounts";
import { type Actor, AppError, accountOf, holdsScope } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { addEnvironment } from "./add-environment.ts";
import { deleteEnvironment } from "./delete-environment.ts";
import { apiKeyHandlers } from "./keys/routes.ts";
import { toEnvironmentId } from "./require-target.ts";
import { getEnvironmentSettings } from "./settings/get-environment-settings.ts";
import { listSettingChanges } from "./settings/list-setting-changes.ts";
import { updateEnvironmentSettings } from "./settings/update-environment-settings.ts";
import { findEnvironment, listEnvironments } from "./store.ts";
import { updateEnvironment } from "./update-environment.ts";
import { deleteEnvironmentVariable } from "./variables/delete-environment-variable.ts";
import { listEnvironmentVariables } from "./variables/list-environment-variables.ts";
import { setEnvironmentVariable } from "./variables/set-environment-variable.ts";
import {
  mayReadSigningKeys,
  presentSigningKeys,
  presentWebhookSettings,
  showsSecrets,
} from "./webhooks/present-webhook-settings.ts";
import { rotateSigningKey } from "./webhooks/rotate-signing-key.ts";
import { updateWebhookSettings } from "./webhooks/update-webhook-settings.ts";

export const environmentHandlers = {
  ...apiKeyHandlers,
  listEnvironments: async (ctx) => {
    const environments = await listEnvironments(ctx.db, accountOf(ctx.actor));
    return { data: environments.map(presentEnvironment) };
  },
  createEnvironment: async (ctx, { body }) => {
    const { key, ...environment } = await addEnvironment(ctx, {
      name: body.name,
      isProduction: body.is_production ?? false,
      callbackUrl: body.callback_url,
    });
    const shown = key && { id: key.id, display_name: key.displayName, secret: key.secret };
    return { data: { ...presentEnvironment(environment), ...(shown && { api_key: shown }) } };
  },
  deleteEnvironment: async (ctx, { params }) => {
    await deleteEnvironment(ctx, toEnvironmentId(params.environmentId));
    return undefined;
  },
  getEnvironment: async (ctx) => {
    const found = await findEnvironment(ctx.db, ctx.environment.id);
    const account = found && (await findAccount(ctx.db, found.accountId));
    if (found === undefined || account === undefined)
      throw new AppError("not_found", "The environment was deleted.");
    const { id, name } = account;
    return { data: { ...presentEnvironment(found), account: { id, name } } };
  },
  updateEnvironment: async (ctx, { params, body }) => {
    const id = toEnvironmentId(params.environmentId);
    const change = { name: body.name, isProduction: body.is_production };
    return { data: presentEnvironment(await updateEnvironment(ctx, id, change)) };
  },
  getEnvironmentSettings: async (ctx) => ({ data: await getEnvironmentSettings(ctx) }),
  updateEnvironmentSettings: async (ctx, { body }) => ({
    data: await updateEnvironmentSettings(ctx, body),
  }),
  listSettingChanges: async (ctx) => ({ data: await listSettingChanges(ctx) }),
  getWebhookSettings: async (ctx) => ({
    data: { ...(await presentWebhookSettings(ctx)), ...(await presentSigningKeys(ctx)) },
  }),
  updateWebhookSettings: async (ctx, { body }) => {
    await updateWebhookSettings(ctx, body);
    const settings = await presentWebhookSettings(ctx);
    const keys = mayReadSigningKeys(ctx) ? await presentSigningKeys(ctx) : {};
    return { data: { ...settings, ...keys } };
  },
  rotateWebhookSigningKey: async (ctx, { body }) => {
    const key = await rotateSigningKey(ctx, { immediate: body.immediate ?? false });
    return { data: { webhook_signing_key: key.reveal() } };
  },
  revealWebhookSigningKeys: async (ctx) => {
    requireScope(ctx.actor, "environment:webhooks:read");
    return { data: await presentSigningKeys(ctx, { shown: true }) };
  },
  listEnvironmentVariables: async (ctx) => {
    const variables = await listEnvironmentVariables(ctx);
    if (showsSecrets(ctx)) return variables;
    return variables.map(({ name }) => ({ name, value: MASK, masked: true }));
  },
  revealEnvironmentVariable: async (ctx, { params }) => {
    requireScope(ctx.actor, "environment:variables:read");
    const variables = await listEnvironmentVariables(ctx);
    const found = variables.find(({ name }) => name === params.name);
    if (found === undefined) {
      throw new AppError("not_found", `The environment has no variable ${params.name}.`);
    }
    return { data: found };
  },
  setEnvironmentVariable: async (ctx, { params, body }) => {
    await setEnvironmentVariable(ctx, { name: params.name, value: body.value });
    return { success: true };
  },
  sendCliTelemetry: async () => undefined,
  deleteEnvironmentVariable: async (ctx, { params }) => {
    await deleteEnvironmentVariable(ctx, params);
    return { success: true };
  },
} satisfies RouteHandlers<typeof environmentRoutes>;

const MASK = "********";

/** A secret is shown to who may also read what it belongs to. */
function requireScope(actor: Actor, scope: Scope): void {
  if (holdsScope(actor, scope)) return;
  const caller = actor.kind === "user" ? "Your role" : "The API key";
  throw new AppError("forbidden", `${caller} lacks the scope \`${scope}\`.`);
}

function presentEnvironment(environment: {
  id: string;
  name: string;
  isProduction: boolean;
  createdAt: Date;
}) {
  const { id, name, isProduction, createdAt } = environment;
  return { id, name, is_production: isProduction, created_at: createdAt.toISOString() };
}
