import { addMs, DAY, type EnvironmentContext, type SystemContext, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addOutages, deleteOutages, type Outage } from "./store.ts";

const KEPT_MS = DAY;
/** Outages that a process remembers, to note their end. */
const MOST_REMEMBERED = 10_000;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

/** What this process has noted of hosts that are down. */
class Outages {
  readonly #known = new Set<string>();
  readonly buffer: CountBuffer<Outage>;

  constructor({ log }: Pick<EnvironmentContext, "log">) {
    this.buffer = new CountBuffer<Outage>({
      log,
      keyOf,
      add: (known, { calls, ...later }) => ({
        ...later,
        // An answer says neither why nor until when.
        reason: later.reason ?? known.reason,
        heldUntil: later.heldUntil ?? known.heldUntil,
        failedAt: later.failedAt ?? known.failedAt,
        reachedAt: later.reachedAt ?? known.reachedAt,
        calls: known.calls + calls,
      }),
      write: addOutages,
      delayed: "integrations.outages_delayed",
    });
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  remember(outage: Outage): void {
    if (this.#known.size < MOST_REMEMBERED) this.#known.add(keyOf(outage));
  }

  forget(outage: Outage): boolean {
    return this.#known.delete(keyOf(outage));
  }
}

function keyOf({ environmentId, integrationId, host }: Outage): string {
  return `${environmentId} ${integrationId} ${host}`;
}

const outages = serverState((ctx: Pick<EnvironmentContext, "log">) => new Outages(ctx));

interface ProviderHost {
  readonly integrationId: number;
  readonly host: string;
}

/** A call was held back, or failed and is the last before calls are held back; nothing is written yet. */
export function noteOutage(
  ctx: EnvironmentContext,
  { reason, heldForMs, ...host }: ProviderHost & { reason: string; heldForMs: number },
): void {
  const now = ctx.clock.now();
  const outage = {
    ...{ environmentId: ctx.environment.id, ...host, reason, calls: 1 },
    ...{ failedAt: now.toISOString(), reachedAt: null },
    heldUntil: addMs(now, heldForMs).toISOString(),
  };
  const known = outages.of(ctx);
  known.remember(outage);
  known.buffer.add(ctx.db, outage);
}

/** The host has answered, with any status; cheap where nothing was down. */
export function noteReached(ctx: EnvironmentContext, host: ProviderHost): void {
  const known = outages.of(ctx);
  if (known.isEmpty) return;
  const outage = {
    ...{ environmentId: ctx.environment.id, ...host, reason: null, heldUntil: null, calls: 0 },
    ...{ failedAt: null, reachedAt: ctx.clock.now().toISOString() },
  };
  if (known.forget(outage)) known.buffer.add(ctx.db, outage);
}

/** Writes what was noted; called at shutdown. */
export async function flushOutages(ctx: Owner): Promise<void> {
  await outages.of(ctx).buffer.flush();
}

/** Called every day. */
export async function deleteOldOutages(ctx: SystemContext): Promise<void> {
  await deleteOutages(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}
