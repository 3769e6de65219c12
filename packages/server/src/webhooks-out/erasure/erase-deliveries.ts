import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { holdsWord } from "#platform/words";
import { openOwn, openShared } from "../open-body.ts";
import {
  deleteDeliveries,
  deleteDeliveriesOf,
  deleteSequences,
  deleteUnusedPayloads,
  listOfNoConnection,
  type Position,
  type SealedDelivery,
} from "./store.ts";

const AT_ONCE = 1000;
/** Their bodies are in memory. */
const READ_AT_ONCE = 50;

/**
 * Deletes the deliveries about connections, and of those about none, such as a provider's webhook that fits no
 * connection, what contains a word, also in base64; also those that wait to be sent. Resolves to how many.
 */
export async function eraseDeliveries(
  ctx: EnvironmentContext,
  person: {
    readonly uuids: readonly ConnectionUuid[];
    readonly names: readonly string[];
    readonly words: readonly string[];
  },
): Promise<number> {
  const environmentId = ctx.environment.id;
  let [total, deleted] = [0, AT_ONCE];
  while (deleted === AT_ONCE) {
    ctx.signal.throwIfAborted();
    deleted = await deleteDeliveriesOf(ctx.db, environmentId, { ...person, limit: AT_ONCE });
    total += deleted;
  }
  total += await eraseNaming(ctx, person.words);
  await deleteUnusedPayloads(ctx.db, environmentId);
  await deleteSequences(ctx.db, environmentId, person.uuids);
  return total;
}

async function eraseNaming(ctx: EnvironmentContext, words: readonly string[]): Promise<number> {
  if (words.length === 0) return 0;
  const environmentId = ctx.environment.id;
  let after: Position | undefined;
  let total = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = { after, limit: READ_AT_ONCE };
    const deliveries = await listOfNoConnection(ctx.db, environmentId, page);
    after = deliveries.at(-1);
    if (after === undefined) return total;
    const named: string[] = [];
    for (const delivery of deliveries) {
      if (await holdsWord(await readBody(ctx, delivery), words)) named.push(delivery.id);
    }
    total += await deleteDeliveries(ctx.db, environmentId, named);
  }
}

async function readBody(ctx: EnvironmentContext, delivery: SealedDelivery): Promise<string> {
  const { payloadId, payload } = delivery;
  const own = await openOwn(ctx, delivery);
  const shared = payloadId === null ? undefined : await openShared(ctx, { payloadId, payload });
  return `${own.toString("utf8")}\n${shared?.toString("utf8") ?? ""}`;
}
