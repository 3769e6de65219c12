import { getAuthMode } from "#auth-modes";
import { getEnvironment } from "#environments";
import { MINUTE, reasonOf, SECOND, type SystemContext, withEnvironment } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { getIntegrationById } from "#integrations";
import { type DueClaim, type DueWork, InFlight } from "#tasks";
import { standingProblem } from "../connection.ts";
import { getConnectionByUuid } from "../read/get-connection.ts";
import { joinAttempt } from "../refresh/get-fresh-credentials.ts";
import { claimIdle, findNextIdle, type IdleConnection } from "../refresh/store.ts";

const MAX_IN_FLIGHT = 16;
// An authorization server that was left alone for long must not be run over.
const MAX_PER_INTEGRATION = 2;
// Another process tries it again after this time, should this one die; longer than any attempt.
const HELD_MS = 10 * MINUTE;
const STOP_GRACE_MS = 5 * SECOND;

/** Uses the refresh tokens of connections that nobody uses, before they age out. */
export function createIdleRefreshWork(): DueWork {
  return new IdleRefreshWork();
}

class IdleRefreshWork implements DueWork {
  readonly name = "idle-refresh";
  readonly #inFlight = new InFlight<IdleConnection>(MAX_IN_FLIGHT);

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const { room: free } = this.#inFlight;
    if (free === 0) return { claimed: 0, nextDueAt: undefined };
    const now = ctx.clock.now();
    const busy = this.#inFlight.listFull(({ integrationId }) => integrationId, MAX_PER_INTEGRATION);
    const ceiling = ceilingOf(MAX_IN_FLIGHT, ctx.settings.environmentShare);
    const crowded = this.#inFlight.listFull(({ environmentId }) => environmentId, ceiling);
    const limit = Math.min(free, MAX_PER_INTEGRATION);
    const claimed = await claimIdle(ctx.db, { now, limit, heldMs: HELD_MS, busy, crowded });
    for (const connection of claimed) this.#start(ctx, connection, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextIdle(ctx.db, { busy, crowded }) };
  }

  /** Attempts continue by themselves, and the server waits for them; this waits for those about to begin. */
  async drain(): Promise<void> {
    await this.#inFlight.drain(STOP_GRACE_MS);
  }

  #start(ctx: SystemContext, connection: IdleConnection, wake: () => void): void {
    this.#inFlight.start(connection, {
      work: () => renewIdle(ctx, connection),
      onFailure(error) {
        const reason = reasonOf(error);
        ctx.log.warn("connection.idle_refresh_failed", { connection: connection.uuid, reason });
      },
      wake,
    });
  }
}

async function renewIdle(
  ctx: SystemContext,
  { environmentId, integrationId, uuid }: IdleConnection,
): Promise<void> {
  const environment = await getEnvironment(ctx, environmentId);
  const inside = withEnvironment(ctx, environment);
  const integration = await getIntegrationById(inside, integrationId);
  const connection = await getConnectionByUuid(inside, uuid);
  const { refresh } = getAuthMode(connection.authMode);
  if (refresh === undefined || connection.frozen !== undefined) return;
  if (standingProblem(connection, integration, ctx.clock.now()) !== undefined) return;
  await joinAttempt(inside, { connection, integration, refresh, force: false });
}
