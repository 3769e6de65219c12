import type { deployedFunctionRoutes, RouteOutput } from "@jackfield/contract";
import { findConnectionByUuid, getConnection } from "#connections";
import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { type FunctionName, requireFunction } from "../deployed/require-function.ts";
import { flushEgress, OTHER_HOSTS } from "./count-egress.ts";
import { type EgressSums, listEgressByConnection, listEgressByHost, sumEgress } from "./store.ts";

const MOST_HOSTS = 50;
const MOST_CONNECTIONS = 20;

type Egress = RouteOutput<typeof deployedFunctionRoutes.getFunctionEgress>["data"];

interface Asked extends FunctionName {
  /** Today is one of them. */
  readonly days: number;
  readonly connectionId: string | undefined;
}

/** What a function sent where, by host and by connection; throws not_found. */
export async function presentEgress(
  ctx: EnvironmentContext,
  { days, connectionId, ...named }: Asked,
): Promise<Egress> {
  const { fn, integration } = await requireFunction(ctx, named);
  const connection =
    connectionId === undefined
      ? undefined
      : await getConnection(ctx, { integration, connectionId }, "not_found");
  await flushEgress(ctx);
  const since = addMs(ctx.clock.now(), -(days - 1) * DAY)
    .toISOString()
    .slice(0, 10);
  const filter = { functionId: fn.id, since, connection: connection?.uuid };
  const { id } = ctx.environment;
  const [total, hosts, connections] = await Promise.all([
    sumEgress(ctx.db, id, filter),
    listEgressByHost(ctx.db, id, { ...filter, limit: MOST_HOSTS }),
    listEgressByConnection(ctx.db, id, { ...filter, limit: MOST_CONNECTIONS }),
  ]);
  return {
    total: presentSums(total),
    hosts: hosts.map(({ host, ...sums }) => ({
      host: host === OTHER_HOSTS ? null : host,
      sums: presentSums(sums),
    })),
    connections: await Promise.all(
      connections.map(async ({ uuid, ...sums }) => ({
        connection_id: (await findConnectionByUuid(ctx, uuid))?.connectionId ?? null,
        sums: presentSums(sums),
      })),
    ),
  };
}

function presentSums({ calls, refused, bytesSent, bytesReceived }: EgressSums) {
  return { calls, refused, bytes_sent: bytesSent, bytes_received: bytesReceived };
}
