import { randomUUID } from "node:crypto";
import type { RouteInput, revocationRoutes } from "@jackfield/contract";
import {
  type Actor,
  type EnvironmentContext,
  invalidFields,
  requireStepUp,
  SECOND,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { getIntegration } from "#integrations";
import { announceChange, recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import type { Revocation } from "./revocation.ts";
import { selectPage } from "./select-connections.ts";
import { findRevocation, insertRevocation } from "./store.ts";
import { keyOf, revocationTasks } from "./tasks.ts";

type Body = RouteInput<typeof revocationRoutes.startRevocation>["body"];

/** Connections are frozen before the answer as far as this allows; a task freezes the rest. */
const ANSWER_WITHIN_MS = 5 * SECOND;

/** Begins a revocation, or a rehearsal of one; throws unknown_provider_config and step_up_required. */
export async function startRevocation(ctx: EnvironmentContext, body: Body): Promise<Revocation> {
  const { match, reason, rehearsal = false, end_sessions: endsSessions = false } = body;
  requireMatch(match);
  if (!rehearsal) requireStepUp(ctx.actor, ctx.clock.now());
  const { provider_config_key: key } = match;
  const integration = key === undefined ? undefined : await getIntegration(ctx, key);
  const [id, environmentId] = [randomUUID(), ctx.environment.id];
  await withTransaction(ctx, async (ctx) => {
    await insertRevocation(ctx.db, environmentId, {
      id,
      isRehearsal: rehearsal,
      match: { ...match, integrationId: integration?.id },
      reason: reason ?? null,
      actor: withoutRights(ctx.actor),
      endsSessions,
      createdAt: ctx.clock.now(),
      // Whom a key has read, other processes write a moment later: they are gone through once more.
      passesLeft: match.key_id === undefined ? 1 : 2,
    });
    const payload = { environmentId, id };
    await enqueueTask(ctx, revocationTasks.run, payload, { key: keyOf(id), environmentId });
  });
  await ctx.failpoints.hit("revocations.begun");
  await selectInTime(ctx, id);
  const message = rehearsal ? "Rehearse a revocation" : "Begin a revocation";
  announceChange(ctx, environmentId, "revocations");
  recordChange(ctx, { message, meta: { revocation: id, ...match } });
  const begun = await findRevocation(ctx.db, environmentId, id);
  if (begun === undefined) throw new Error("The environment was deleted meanwhile.");
  return begun;
}

async function selectInTime(ctx: EnvironmentContext, id: string): Promise<void> {
  const until = performance.now() + ANSWER_WITHIN_MS;
  let last: Revocation | undefined;
  do {
    const before = last?.passesLeft;
    last = await selectPage(ctx, id);
    if (before !== undefined && last !== undefined && last.passesLeft < before) return;
  } while (last !== undefined && last.passesLeft > 0 && performance.now() < until);
}

/** Everything at once is never meant by leaving all out. */
function requireMatch(match: Body["match"]): void {
  const { from, to, tags, ...rest } = match;
  const isNamed = [from, to, ...Object.values(rest)].some((value) => value !== undefined);
  if (!isNamed && Object.keys(tags ?? {}).length === 0) {
    throw fault("match", "must name what is meant, such as `provider_config_key`");
  }
  if (from !== undefined && to !== undefined && new Date(from) >= new Date(to)) {
    throw fault("match.to", "must be after `from`");
  }
}

function fault(path: string, message: string) {
  return invalidFields("invalid_body", [{ path: path.split("."), message }]);
}

/** Who it was, for the logs; what they may do was asked at the beginning. */
function withoutRights(actor: Actor): Actor {
  return actor.kind === "key" || actor.kind === "user" ? { ...actor, scopes: [] } : actor;
}
