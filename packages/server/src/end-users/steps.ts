import { eraseActions } from "#actions";
import { eraseAgentSessions, eraseFromAgentCalls } from "#agents";
import { eraseSessions } from "#connect";
import {
  deleteIfThere,
  disguiseConnections,
  isWithdrawn,
  listConnectionsOfEndUser,
} from "#connections";
import { endKeysOfEndUser } from "#environments";
import type { Counted, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { eraseDryRuns, eraseEgress, eraseTapes } from "#functions";
import { findIntegrationById, listIntegrationKeys } from "#integrations";
import { eraseFromLogs } from "#logs";
import { eraseFromProblems } from "#problems";
import { countRecords, eraseRecords } from "#records";
import { eraseFromRevocations } from "#revocations";
import { eraseRuns } from "#syncs";
import { eraseInbox } from "#webhooks-in";
import { eraseDeliveries } from "#webhooks-out";
import { type ErasedCounts, type ErasedKind, type Subject, toWords } from "./erasure.ts";
import { namesErasing } from "./hooks.ts";

/**
 * What is known of the subject after a step, where that is more, and what it has erased but could not count in the same
 * transaction; `wait`: what it needs has not happened yet.
 */
export type StepResult =
  | { readonly erased?: ErasedCounts; readonly subject?: Subject }
  | { readonly wait: true };

/** Adds to what an erasure has counted, in the transaction of the context. */
export type AddCounts = (ctx: EnvironmentContext, counts: ErasedCounts) => Promise<void>;

export type Step = (
  ctx: EnvironmentContext,
  subject: Subject,
  addCounts: AddCounts,
) => Promise<StepResult>;

/** In this order; each can be repeated, since a worker may die between what it does and the note of that. */
export const steps: readonly Step[] = [
  findConnections,
  eraseOpenSessions,
  deleteConnections,
  disguise,
  eraseWork,
  eraseReports,
  eraseWebhooks,
  eraseNotes,
  eraseLogs,
  // What other processes had still to write, and what was logged about the steps before.
  eraseLogs,
];

/** First, since a deleted connection no longer says what its person is called. */
async function findConnections(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const found = await listConnectionsOfEndUser(ctx, subject.endUserId);
  const texts = found.flatMap(({ connectionId, tags, accountEmail }) => [
    connectionId,
    accountEmail ?? undefined,
    tags["end_user_email"],
    tags["end_user_display_name"],
  ]);
  const uuids = found.map(({ uuid }) => uuid);
  const models = await countRecords(ctx, { connections: uuids });
  return {
    // Gone with the connections, whether this job or another process deletes them.
    erased: { record_models: models.length },
    subject: {
      endUserId: subject.endUserId,
      connections: [...new Set([...subject.connections, ...uuids])],
      names: [...new Set([...subject.names, ...found.map(({ connectionId }) => connectionId)])],
      integrationIds: [
        ...new Set([...subject.integrationIds, ...found.map((each) => each.integrationId)]),
      ],
      words: toWords([subject.endUserId, ...subject.words, ...texts]),
    },
  };
}

/** Before the connections, so that no session makes another. */
async function eraseOpenSessions(
  ctx: EnvironmentContext,
  subject: Subject,
  addCounts: AddCounts,
): Promise<StepResult> {
  await withTransaction(
    ctx,
    async (ctx) => await addCounts(ctx, await deleteSessions(ctx, subject)),
  );
  return {};
}

async function deleteSessions(ctx: EnvironmentContext, subject: Subject): Promise<ErasedCounts> {
  const { sessions, links } = await eraseSessions(ctx, subject);
  const { endUserId } = subject;
  const agents = await eraseAgentSessions(ctx, endUserId);
  const now = ctx.clock.now();
  const keys = await endKeysOfEndUser(ctx.db, ctx.environment.id, { endUserId, now });
  return {
    ...{ connect_sessions: sessions, connect_links: links, agent_sessions: agents },
    api_keys: keys,
  };
}

async function deleteConnections(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const found = await listConnectionsOfEndUser(ctx, subject.endUserId);
  const live = found.filter(({ isDeleted }) => !isDeleted);
  for (const { integrationId, connectionId } of live) {
    ctx.signal.throwIfAborted();
    const integration = await findIntegrationById(ctx, integrationId);
    if (integration !== undefined) await deleteIfThere(ctx, { integration, connectionId });
  }
  return {};
}

/** Once the providers know: the withdrawal of a token logs the connection's name. */
async function disguise(
  ctx: EnvironmentContext,
  { connections }: Subject,
  addCounts: AddCounts,
): Promise<StepResult> {
  if (!(await isWithdrawn(ctx, connections))) return { wait: true };
  const counted = counting(addCounts, "connections");
  await counted(ctx, async (ctx) => await disguiseConnections(ctx, connections));
  return {};
}

async function eraseWork(
  ctx: EnvironmentContext,
  { connections, integrationIds }: Subject,
  addCounts: AddCounts,
): Promise<StepResult> {
  if (!(await eraseRuns(ctx, connections, counting(addCounts, "runs")))) return { wait: true };
  const running = await withTransaction(ctx, async (ctx) => {
    const actions = await eraseActions(ctx, connections);
    await addCounts(ctx, { actions: actions.deleted });
    return actions.running;
  });
  if (running > 0) return { wait: true };
  await eraseRecords(ctx, ctx.environment.id, connections);
  await withTransaction(ctx, async (ctx) => {
    const dryRuns = await eraseDryRuns(ctx, integrationIds);
    await addCounts(ctx, { dry_runs: dryRuns, tapes: await eraseTapes(ctx, connections) });
  });
  await eraseEgress(ctx, connections);
  return {};
}

async function eraseReports(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const reports = await eraseFromRevocations(ctx, subject);
  return reports === undefined ? { wait: true } : {};
}

async function eraseWebhooks(
  ctx: EnvironmentContext,
  subject: Subject,
  addCounts: AddCounts,
): Promise<StepResult> {
  const { connections: uuids, names, words, integrationIds } = subject;
  const integrationKeys = [...(await listIntegrationKeys(ctx, integrationIds)).values()];
  const person = { uuids, names, words, integrationKeys };
  await eraseDeliveries(ctx, person, counting(addCounts, "webhook_deliveries"));
  await eraseInbox(ctx, subject, counting(addCounts, "received_webhooks"));
  return {};
}

async function eraseNotes(
  ctx: EnvironmentContext,
  subject: Subject,
  addCounts: AddCounts,
): Promise<StepResult> {
  const { endUserId, names, words } = subject;
  await counting(addCounts, "problems")(ctx, async (ctx) => await eraseFromProblems(ctx, subject));
  await counting(addCounts, "audit_names")(
    ctx,
    async (ctx) => await ctx.hooks.ask(namesErasing, ctx, { endUserId, names, words }),
  );
  await counting(addCounts, "agent_calls")(
    ctx,
    async (ctx) => await eraseFromAgentCalls(ctx, endUserId),
  );
  return {};
}

/** The log may lie on a server of its own: what is deleted by a worker that dies is not counted. */
async function eraseLogs(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { names, words, logSearched } = subject;
  const erased = await eraseFromLogs(ctx, { names, words, since: logSearched });
  return {
    erased: { log_operations: erased.operations, log_messages: erased.messages },
    subject: { ...subject, logSearched: erased.searched },
  };
}

function counting(addCounts: AddCounts, kind: ErasedKind): Counted {
  return async (ctx, erase) =>
    await withTransaction(ctx, async (ctx) => {
      const erased = await erase(ctx);
      if (erased > 0) await addCounts(ctx, { [kind]: erased });
      return erased;
    });
}
