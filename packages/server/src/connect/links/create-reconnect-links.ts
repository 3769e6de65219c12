import { type connectLinkRoutes, MOST_RECONNECT_LINKS, type RouteInput } from "@jackfield/contract";
import { type Connection, getConnection, listConnections, listingOfFilter } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { getIntegration } from "#integrations";
import { announceChange } from "#logs";
import { checkSession, invalidBody } from "../sessions/check-session.ts";
import { hasOwner } from "../sessions/create-reconnect-session.ts";
import { type CreatedLink, type LinkInput, prepareLink } from "./create-link.ts";
import { insertLinks } from "./store.ts";

type ReconnectBody = RouteInput<typeof connectLinkRoutes.createReconnectLinks>["body"];

interface Target {
  readonly integrationKey: string;
  readonly connection: Connection;
}

interface ReconnectLinks {
  readonly created: readonly CreatedLink[];
  readonly skipped: readonly (Target & { readonly reason: "works" | "no_owner" })[];
}

/**
 * Makes a link for each connection that has to be authorized again. Throws invalid_body, unknown_provider_config or
 * unknown_connection for what is named wrongly, and invalid_body for a filter that fits too many.
 */
export async function createReconnectLinks(
  ctx: EnvironmentContext,
  { connections, filter, ...given }: ReconnectBody,
): Promise<ReconnectLinks> {
  if ((connections === undefined) === (filter === undefined)) {
    throw invalidBody(["connections"], "must be sent, or `filter` in its place: one of them");
  }
  const { return_url: returnUrl, language, note, expires_in_seconds: lifeSeconds } = given;
  await checkSession(ctx, { returnUrl, language }, {});
  const targets =
    filter === undefined ? await findNamed(ctx, connections ?? []) : await findFitting(ctx, filter);
  const skipped: ReconnectLinks["skipped"][number][] = [];
  const inputs: LinkInput[] = [];
  for (const target of targets) {
    const { connection, integrationKey } = target;
    const { uuid, connectionId, tags } = connection;
    if (connection.refresh.needsReauthorizationAt === undefined) {
      skipped.push({ ...target, reason: "works" });
    } else if (!hasOwner(connection)) {
      skipped.push({ ...target, reason: "no_owner" });
    } else {
      inputs.push({
        settings: { tags, allowedIntegrations: [integrationKey], returnUrl, language },
        reconnects: { uuid, connectionId },
        ...{ note, lifeSeconds, maxUses: 1, withCode: false },
      });
    }
  }
  const prepared = await Promise.all(inputs.map(async (input) => await prepareLink(ctx, input)));
  await insertLinks(
    ctx.db,
    ctx.environment.id,
    prepared.map(({ row }) => row),
  );
  announceChange(ctx, ctx.environment.id, "connect-links");
  return { created: prepared.map(({ created }) => created), skipped };
}

async function findNamed(
  ctx: EnvironmentContext,
  named: NonNullable<ReconnectBody["connections"]>,
): Promise<Target[]> {
  const targets = new Map<string, Target>();
  for (const { provider_config_key: integrationKey, connection_id: connectionId } of named) {
    const integration = await getIntegration(ctx, integrationKey);
    const connection = await getConnection(ctx, { integration, connectionId });
    targets.set(connection.uuid, { integrationKey, connection });
  }
  return [...targets.values()];
}

async function findFitting(
  ctx: EnvironmentContext,
  { state = "needs_reauthorization", ...filter }: NonNullable<ReconnectBody["filter"]>,
): Promise<Target[]> {
  // Connections in any other state need no link.
  if (state !== "needs_reauthorization") return [];
  const listing = { ...listingOfFilter(filter), state, limit: MOST_RECONNECT_LINKS + 1 };
  const listed = await listConnections(ctx, listing);
  if (listed.length > MOST_RECONNECT_LINKS) {
    const most = `fits more than ${MOST_RECONNECT_LINKS} connections that need to be authorized again`;
    throw invalidBody(["filter"], `${most}: narrow it, for example to one integration`);
  }
  return listed.map(({ connection, integration }) => ({
    integrationKey: integration.uniqueKey,
    connection,
  }));
}
