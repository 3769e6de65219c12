import { type Connection, findConnectionByUuid } from "#connections";
import { findCachedEnvironment } from "#environments";
import {
  addMs,
  backoffMs,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  reasonOf,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { findCachedIntegrationById } from "#integrations";
import { type DueClaim, type DueWork, InFlight } from "#tasks";
import type { UpstreamServer } from "../client/door.ts";
import { findUpstream, refreshTools } from "../refresh-tools.ts";
import { claimLists, type DueList, deleteList, type Full, findNextDue, putOff } from "./store.ts";

const MAX_IN_FLIGHT = 16;
// One server must not be run over, nor a slow one keep the others waiting.
const MAX_PER_INTEGRATION = 2;
// Servers that did not answer last time leave the other half to those that do.
const MAX_FAILING = MAX_IN_FLIGHT / 2;
// Another process tries it again after this time, should this one die; longer than any attempt.
const HELD_MS = 2 * MINUTE;
const STOP_GRACE_MS = 5 * SECOND;
const AFTER_FAILURES = { firstMs: 5 * MINUTE, longestMs: 6 * HOUR };

/** Reads lists of tools again that nobody uses, so that a change is seen all the same. */
export function createTimedRefresh(): DueWork {
  return new TimedRefresh();
}

class TimedRefresh implements DueWork {
  readonly name = "agents.upstream-lists";
  readonly restMs = 100;
  readonly #inFlight = new InFlight<DueList>(MAX_IN_FLIGHT);

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const { room: free } = this.#inFlight;
    if (free === 0) return { claimed: 0, nextDueAt: undefined };
    const full = this.#listFull(ceilingOf(MAX_IN_FLIGHT, ctx.settings.environmentShare));
    const limit = Math.min(free, MAX_PER_INTEGRATION);
    const options = { now: ctx.clock.now(), limit, heldMs: HELD_MS, full };
    const claimed = await claimLists(ctx.db, options);
    for (const list of claimed) this.#start(ctx, list, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, full) };
  }

  async drain(): Promise<void> {
    await this.#inFlight.drain(STOP_GRACE_MS);
  }

  #start(ctx: SystemContext, list: DueList, wake: () => void): void {
    this.#inFlight.start(list, {
      work: () => readAgain(ctx, list),
      async onFailure(error) {
        const { connectionUuid, environmentId } = list;
        const facts = { connection: connectionUuid, reason: reasonOf(error) };
        ctx.log.warn("agents.upstream_not_refreshed", facts);
        const until = addMs(ctx.clock.now(), HOUR);
        // While the database is away the list is due again by itself.
        await putOff(ctx.db, environmentId, { connectionUuid, until }).catch(() => undefined);
      },
      wake,
    });
  }

  #listFull(ceiling: number): Full {
    const lists = this.#inFlight;
    return {
      integrations: lists.listFull(({ integrationId }) => integrationId, MAX_PER_INTEGRATION),
      environments: lists.listFull(({ environmentId }) => environmentId, ceiling),
      failing: lists.count(({ failures }) => failures > 0) >= MAX_FAILING,
    };
  }
}

async function readAgain(system: SystemContext, due: DueList): Promise<void> {
  const { connectionUuid, environmentId, integrationId, failures } = due;
  // With an environment go its lists.
  const environment = await findCachedEnvironment(system, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(system, environment);
  const connection = await findConnectionByUuid(ctx, connectionUuid);
  const server = connection && (await findServer(ctx, { connection, integrationId }));
  if (server === undefined) {
    await deleteList(ctx.db, environmentId, connectionUuid);
    return;
  }
  if (await isRead(ctx, server)) return;
  const until = addMs(ctx.clock.now(), backoffMs(AFTER_FAILURES, failures + 1));
  await putOff(ctx.db, environmentId, { connectionUuid, until });
}

async function isRead(ctx: EnvironmentContext, server: UpstreamServer): Promise<boolean> {
  // Nothing is sent with credentials that nobody may use; once they may be again, the list is soon read.
  if (server.connection.frozen !== undefined) return false;
  return (await refreshTools(ctx, server)) === undefined;
}

async function findServer(
  ctx: EnvironmentContext,
  { connection, integrationId }: { connection: Connection; integrationId: number },
) {
  const integration = await findCachedIntegrationById(ctx, integrationId);
  return integration && findUpstream({ integration, connection });
}
