import type { Credentials } from "#auth-modes";
import { type ConnectionUuid, type EnvironmentContext, Secret } from "#platform";
import { openJson, type SealPlace, sealJson } from "#vault";
import type { Connection } from "./connection.ts";

/** Opened once for as long as somebody holds the sealed form; in memory only. */
const opened = new WeakMap<Buffer, Secret<Credentials>>();

export async function openCredentials(
  ctx: EnvironmentContext,
  { uuid, sealedCredentials }: Pick<Connection, "uuid" | "sealedCredentials">,
): Promise<Credentials> {
  const known = opened.get(sealedCredentials);
  if (known !== undefined) return known.reveal();
  const credentials = asCredentials(await openJson(ctx, placeOf(ctx, uuid), sealedCredentials));
  opened.set(sealedCredentials, new Secret(credentials));
  return credentials;
}

/** What was opened before; undefined where it has to be opened first. */
export function peekCredentials({
  sealedCredentials,
}: Pick<Connection, "sealedCredentials">): Credentials | undefined {
  return opened.get(sealedCredentials)?.reveal();
}

export async function sealCredentials(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  credentials: Credentials,
): Promise<Buffer> {
  return await sealJson(ctx, placeOf(ctx, uuid), credentials);
}

function placeOf(ctx: EnvironmentContext, uuid: ConnectionUuid): SealPlace {
  return {
    environmentId: ctx.environment.id,
    table: "connections",
    column: "credentials",
    row: uuid,
  };
}

// Authenticated encryption: what opens is what sealCredentials was given.
function asCredentials(opened: unknown): Credentials {
  return opened as Credentials;
}
