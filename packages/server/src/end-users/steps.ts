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
import { eraseDryRuns, eraseEgress, eraseTapes } from "#functions";
import { findIntegrationById, listIntegrationKeys } from "#integrations";
import { eraseFromLogs } from "#logs";
import type { EnvironmentContext } from "#platform";
import { eraseFromProblems } from "#problems";
import { countRecords, eraseRecords } from "#records";
import { eraseFromRevocations } from "#revocations";
import { eraseRuns } from "#syncs";
import { eraseInbox } from "#webhooks-in";
import { eraseDeliveries } from "#webhooks-out";
import { type ErasedCounts, type Subject, toWords } from "./erasure.ts";
import { namesErasing } from "./hooks.ts";

/** What a step has erased, and what is known of the subject then, where that is more; `wait`: what it needs has not happened yet. */
export type StepResult =
  | { readonly erased: ErasedCounts; readonly subject?: Subject }
  | { readonly wait: true };

export type Step = (ctx: EnvironmentContext, subject: Subject) => Promise<StepResult>;

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
async function eraseOpenSessions(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { sessions, links } = await eraseSessions(ctx, subject);
  const { endUserId } = subject;
  const agents = await eraseAgentSessions(ctx, endUserId);
  const now = ctx.clock.now();
  const keys = await endKeysOfEndUser(ctx.db, ctx.environment.id, { endUserId, now });
  return {
    erased: {
      ...{ connect_sessions: sessions, connect_links: links, agent_sessions: agents },
      api_keys: keys,
    },
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
  return { erased: {} };
}

/** Once the providers know: the withdrawal of a token logs the connection's name. */
async function disguise(ctx: EnvironmentContext, { connections }: Subject): Promise<StepResult> {
  if (!(await isWithdrawn(ctx, connections))) return { wait: true };
  return { erased: { connections: await disguiseConnections(ctx, connections) } };
}

async function eraseWork(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { connections, integrationIds } = subject;
  const runs = await eraseRuns(ctx, connections);
  const actions = runs === undefined ? undefined : await eraseActions(ctx, connections);
  if (runs === undefined || actions === undefined) return { wait: true };
  await eraseRecords(ctx, ctx.environment.id, connections);
  const dryRuns = await eraseDryRuns(ctx, integrationIds);
  await eraseEgress(ctx, connections);
  const tapes = await eraseTapes(ctx, connections);
  return { erased: { runs, actions, dry_runs: dryRuns, tapes } };
}

async function eraseReports(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const reports = await eraseFromRevocations(ctx, subject);
  return reports === undefined ? { wait: true } : { erased: {} };
}

async function eraseWebhooks(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { connections: uuids, names, words, integrationIds } = subject;
  const integrationKeys = [...(await listIntegrationKeys(ctx, integrationIds)).values()];
  const deliveries = await eraseDeliveries(ctx, { uuids, names, words, integrationKeys });
  const received = await eraseInbox(ctx, subject);
  return { erased: { webhook_deliveries: deliveries, received_webhooks: received } };
}

async function eraseNotes(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { endUserId, names, words } = subject;
  const problems = await eraseFromProblems(ctx, subject);
  const audit = await ctx.hooks.ask(namesErasing, ctx, { endUserId, names, words });
  const calls = await eraseFromAgentCalls(ctx, endUserId);
  return { erased: { problems, audit_names: audit, agent_calls: calls } };
}

async function eraseLogs(ctx: EnvironmentContext, subject: Subject): Promise<StepResult> {
  const { names, words, logSearched } = subject;
  const erased = await eraseFromLogs(ctx, { names, words, since: logSearched });
  return {
    erased: { log_operations: erased.operations, log_messages: erased.messages },
    subject: { ...subject, logSearched: erased.searched },
  };
}
