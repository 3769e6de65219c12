import type { EnvironmentContext, SystemContext } from "#foundation";
import { getAllowedIntegration, openSession } from "./open-attempt.ts";
import { parseConnectQuery } from "./parse-connect-query.ts";

/**
 * Who may send credentials to a route, known before any of its body is read: the holder of a session that may still
 * make a connection of this integration. Throws what the route itself throws of them.
 */
export async function admitForm(
  ctx: SystemContext,
  { query, integrationKey }: { readonly query: unknown; readonly integrationKey: string },
): Promise<EnvironmentContext> {
  const open = await openSession(ctx, parseConnectQuery(query));
  await getAllowedIntegration(open, integrationKey);
  return open.ctx;
}
