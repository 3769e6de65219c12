import { type ConnectionUuid, type EnvironmentContext, Secret } from "#foundation";
import type { Integration } from "#integrations";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { Connection } from "./connection.ts";
import { findConnection, storeFirstWebhookSecret } from "./store.ts";

/** Opened once for as long as somebody holds the sealed form; in memory only. */
// Kept with its key: the sealed form that one server has read.
const opened = new WeakMap<Buffer, Secret<string>>();

/** What the provider signs webhooks of this connection with; undefined where none is set. */
export async function openWebhookSecret(
  ctx: EnvironmentContext,
  { uuid, sealedWebhookSecret: sealed }: Pick<Connection, "uuid" | "sealedWebhookSecret">,
): Promise<string | undefined> {
  if (sealed === undefined) return undefined;
  const known = opened.get(sealed);
  if (known !== undefined) return known.reveal();
  const secret = asText(await openJson(ctx, aadOf(ctx, uuid), sealed));
  opened.set(sealed, new Secret(secret));
  return secret;
}

export async function sealWebhookSecret(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  secret: string,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, uuid), secret);
}

const LONGEST = 1000;

/**
 * Keeps the secret that a provider has sent; false where the connection has one, also one in its metadata, or does not
 * exist.
 */
export async function keepWebhookSecret(
  ctx: EnvironmentContext,
  { id: integrationId }: Pick<Integration, "id">,
  { connectionId, secret }: { readonly connectionId: string; readonly secret: string },
): Promise<boolean> {
  if (secret.length > LONGEST) return false;
  const found = await findConnection(ctx.db, ctx.environment.id, { integrationId, connectionId });
  if (found === undefined || found.sealedWebhookSecret !== undefined) return false;
  const sealed = await sealWebhookSecret(ctx, found.uuid, secret);
  const now = ctx.clock.now();
  return await storeFirstWebhookSecret(ctx.db, ctx.environment.id, found.uuid, { sealed, now });
}

function aadOf(ctx: EnvironmentContext, uuid: ConnectionUuid): AssociatedData {
  return {
    environmentId: ctx.environment.id,
    table: "connections",
    column: "webhook_secret",
    row: uuid,
  };
}

// Authenticated encryption: what opens is what sealWebhookSecret was given.
function asText(value: unknown): string {
  return value as string;
}
