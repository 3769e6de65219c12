import { createHash } from "node:crypto";
import type { CanarySettings } from "@jackfield/contract";
import { listMatchingConnections, type MatchedConnection } from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { MOST_CONNECTIONS } from "./canary.ts";

const PAGE = 1000;

interface Candidate {
  readonly uuid: ConnectionUuid;
  readonly hash: string;
}

/** Connections of the integrations that run the new version; throws canary_not_possible where there are none. */
export async function chooseConnections(
  ctx: EnvironmentContext,
  integrationIds: readonly number[],
  wanted: CanarySettings["connections"],
): Promise<ConnectionUuid[]> {
  const chosen: ConnectionUuid[] = [];
  const missing = new Set(wanted.connection_ids);
  for (const integrationId of integrationIds) {
    const room = MOST_CONNECTIONS - chosen.length;
    if (wanted.percent !== undefined) {
      chosen.push(...(await chooseShare(ctx, { integrationId, percent: wanted.percent, room })));
      continue;
    }
    for await (const connection of listAll(ctx, { integrationId, tags: wanted.tags })) {
      const isNamed = wanted.connection_ids?.includes(connection.connectionId) ?? true;
      if (!isNamed) continue;
      missing.delete(connection.connectionId);
      chosen.push(connection.uuid);
      if (chosen.length > MOST_CONNECTIONS) {
        refuse(`More than ${MOST_CONNECTIONS} connections have these tags.`);
      }
    }
  }
  const [first] = missing;
  if (first !== undefined) {
    refuse(`No integration whose functions change has a connection "${first}".`);
  }
  if (chosen.length > 0) return chosen;
  return refuse(
    "No connection that is meant has a function that changes: deploy without a canary, or choose other connections.",
  );
}

/** By a hash, so that the same ones are chosen each time, and not those that were made first. */
async function chooseShare(
  ctx: EnvironmentContext,
  { integrationId, percent, room }: { integrationId: number; percent: number; room: number },
): Promise<ConnectionUuid[]> {
  let [count, most] = [0, 0];
  let first: Candidate[] = [];
  const cut = () => {
    first = first.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, most);
  };
  for await (const { uuid } of listAll(ctx, { integrationId })) {
    count += 1;
    most = Math.min(room, Math.max(1, Math.ceil((count * percent) / 100)));
    first.push({ uuid, hash: createHash("sha256").update(uuid).digest("hex") });
    if (first.length > 2 * MOST_CONNECTIONS) cut();
  }
  cut();
  return first.map(({ uuid }) => uuid);
}

async function* listAll(
  ctx: EnvironmentContext,
  match: {
    readonly integrationId: number;
    readonly tags?: Readonly<Record<string, string>> | undefined;
  },
): AsyncGenerator<MatchedConnection> {
  const until = ctx.clock.now();
  let after: MatchedConnection | undefined;
  do {
    const page = await listMatchingConnections(ctx, { match, until, after, limit: PAGE });
    yield* page;
    after = page.length === PAGE ? page.at(-1) : undefined;
  } while (after !== undefined);
}

function refuse(message: string): never {
  throw new AppError("canary_not_possible", message);
}
