import * as z from "zod";
import { callPlatform, type Platform } from "../deploy/call-platform.ts";
import { exitCodes, UserError } from "../user-error.ts";

const connectionList = z.looseObject({
  connections: z.array(
    z.looseObject({ connection_id: z.string(), provider_config_key: z.string() }),
  ),
});

/** The id of the only connection that an integration has; throws a UserError where there is none, or a choice. */
export async function findOnlyConnection(
  platform: Platform,
  integrationId: string,
): Promise<string> {
  const { connections } = await callPlatform(platform, {
    method: "GET",
    path: "/connections",
    query: { integrationId, limit: "10" },
    answer: connectionList,
  });
  const [only, second] = connections;
  if (only !== undefined && second === undefined) return only.connection_id;
  const found = connections.map(({ connection_id: id }) => `  ${id}`).join("\n");
  const what =
    only === undefined
      ? `The integration ${integrationId} has no connection yet: make one, then name it.`
      : `Name the connection to run with, for example one of these:\n${found}`;
  throw new UserError(what, { exitCode: exitCodes.usage });
}
