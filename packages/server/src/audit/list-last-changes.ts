import type { EnvironmentContext } from "#foundation";
import { withDetails } from "./details/with-details.ts";
import type { AuditActor } from "./event.ts";
import { listLastEvents } from "./store.ts";

/** Events of an action in an account, so that one of many changes does not hold up the others. */
const SEARCHED = 5000;
const MOST = 1000;

export interface LastChange {
  readonly action: string;
  /** The field, or the target's name; null for a change that names neither. */
  readonly name: string | null;
  readonly at: Date;
  readonly actor: Pick<AuditActor, "kind" | "id" | "name">;
}

/** Who did each of these actions last in the environment, by field; by name of the target for those of `byTarget`. */
export async function listLastChanges(
  ctx: EnvironmentContext,
  { actions, byTarget }: { actions: readonly string[]; byTarget: readonly string[] },
): Promise<LastChange[]> {
  const { id: environmentId, accountId } = ctx.environment;
  const searched = {
    actions: [...actions, ...byTarget],
    byTarget,
    searched: SEARCHED,
    limit: MOST,
  };
  const rows = await listLastEvents(ctx.db, { accountId, environmentId }, searched);
  const events = await withDetails(ctx, rows);
  return rows.map(({ id, action, name, at }) => {
    const { kind, id: actorId, name: actorName } = actorOf(events, id);
    return { action, name, at, actor: { kind, id: actorId, name: actorName } };
  });
}

function actorOf(
  events: readonly { readonly id: string; readonly actor: AuditActor }[],
  id: string,
): AuditActor {
  const found = events.find((event) => event.id === id);
  if (found === undefined) throw new Error(`${id} has no event`);
  return found.actor;
}
