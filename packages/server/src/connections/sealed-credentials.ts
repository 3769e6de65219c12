import type { Credentials } from "#auth-modes";
import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { openJson, type SealPlace, sealJson } from "#vault";
import type { Connection } from "./connection.ts";

export async function openCredentials(
  ctx: EnvironmentContext,
  { uuid, sealedCredentials }: Pick<Connection, "uuid" | "sealedCredentials">,
): Promise<Credentials> {
  return asCredentials(await openJson(ctx, placeOf(ctx, uuid), sealedCredentials));
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
