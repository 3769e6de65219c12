import type { ConnectionUuid, Counted, EnvironmentContext } from "#foundation";
import { holdsWord } from "#foundation/words";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { deletingDeliveries } from "../distributed/note-deliveries.ts";
import { openOwn, openShared } from "../open-body.ts";
import {
  deleteDeliveries,
  deleteDeliveriesOf,
  deleteSequences,
  deleteUnusedPayloads,
  listThatMayName,
  type Position,
  type SealedDelivery,
} from "./store.ts";

const AT_ONCE = 1000;
/** Their bodies are in memory. */
const READ_AT_ONCE = 50;

interface Person {
  readonly uuids: readonly ConnectionUuid[];
  readonly names: readonly string[];
  readonly words: readonly string[];
  /** Of the integrations whose webhooks may name the person, though they are about others. */
  readonly integrationKeys: readonly string[];
}

/**
 * Deletes the deliveries about connections. Of those about none, and of the integrations' webhooks that were passed on
 * about other connections, deletes what contains a word, also in base64;
 * with those that wait to be sent.
 */
export async function eraseDeliveries(
  ctx: EnvironmentContext,
  person: Person,
  counted: Counted,
): Promise<void> {
  const environmentId = ctx.environment.id;
  const isPrepared = await areDeliveriesPrepared(ctx);
  let deleted = AT_ONCE;
  while (deleted === AT_ONCE) {
    ctx.signal.throwIfAborted();
    const page = { ...person, limit: AT_ONCE, isPrepared };
    deleted = await counted(
      ctx,
      async (ctx) =>
        await deletingDeliveries(
          ctx,
          environmentId,
          async (db) => await deleteDeliveriesOf(db, environmentId, page),
        ),
    );
  }
  await eraseNaming(ctx, person, counted);
  await deleteUnusedPayloads(ctx.db, environmentId, isPrepared);
  await deleteSequences(ctx.db, environmentId, person.uuids);
}

async function eraseNaming(
  ctx: EnvironmentContext,
  { words, integrationKeys }: Pick<Person, "words" | "integrationKeys">,
  counted: Counted,
): Promise<void> {
  if (words.length === 0) return;
  const environmentId = ctx.environment.id;
  const isPrepared = await areDeliveriesPrepared(ctx);
  let after: Position | undefined;
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = { integrationKeys, after, limit: READ_AT_ONCE, isPrepared };
    const deliveries = await listThatMayName(ctx.db, environmentId, page);
    after = deliveries.at(-1);
    if (after === undefined) return;
    const named: string[] = [];
    for (const delivery of deliveries) {
      if (await holdsWord(await readBody(ctx, delivery), words)) named.push(delivery.id);
    }
    await counted(
      ctx,
      async (ctx) =>
        await deletingDeliveries(
          ctx,
          environmentId,
          async (db) => await deleteDeliveries(db, environmentId, named),
        ),
    );
  }
}

async function readBody(ctx: EnvironmentContext, delivery: SealedDelivery): Promise<string> {
  const { payloadId, payload } = delivery;
  const own = await openOwn(ctx, delivery);
  const shared = payloadId === null ? undefined : await openShared(ctx, { payloadId, payload });
  return `${own.toString("utf8")}\n${shared?.toString("utf8") ?? ""}`;
}

/** The numbers of their last webhooks; called with connections that were deleted long ago. */
export async function deleteSequencesOf(
  ctx: EnvironmentContext,
  { connections }: { readonly connections: readonly ConnectionUuid[] },
): Promise<void> {
  await deleteSequences(ctx.db, ctx.environment.id, connections);
}
