import { type Connection, findConnectionForCall } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { invalidBody } from "./check-session.ts";
import { type CreatedSession, createSession, type SessionInput } from "./create-session.ts";

/** Makes a session that can only authorize this connection again; throws invalid_body when it cannot. */
export async function createReconnectSession(
  ctx: EnvironmentContext,
  name: { readonly integrationKey: string; readonly connectionId: string },
  { settings, defaults }: SessionInput,
): Promise<CreatedSession> {
  const { connection } = await findTarget(ctx, name);
  if (!hasOwner(connection)) {
    throw invalidBody(
      ["connection_id"],
      "was imported and has no owner yet: give it tags with PATCH /connections/{id}, or make a new one through a session",
    );
  }
  return await createSession(ctx, {
    settings: { ...settings, allowedIntegrations: [name.integrationKey] },
    defaults,
    reconnects: connection.uuid,
  });
}

/** Whether anything says whose the connection is, so that its owner can be asked to authorize it again. */
export function hasOwner({ fromSession, tags }: Pick<Connection, "fromSession" | "tags">): boolean {
  return fromSession || Object.keys(tags).length > 0;
}

async function findTarget(
  ctx: EnvironmentContext,
  name: { readonly integrationKey: string; readonly connectionId: string },
) {
  const { integration, connection } = await findConnectionForCall(ctx, name);
  if (integration === undefined) {
    throw invalidBody(
      ["integration_id"],
      `is no integration of this environment: there is no "${name.integrationKey}"`,
    );
  }
  if (connection === undefined) {
    throw invalidBody(
      ["connection_id"],
      `is no connection of the integration ${name.integrationKey}: there is no "${name.connectionId}"`,
    );
  }
  return { integration, connection };
}
