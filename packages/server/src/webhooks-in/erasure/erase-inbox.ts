import type { ConnectionUuid, Counted, EnvironmentContext } from "#foundation";
import { holdsWord } from "#foundation/words";
import { forgetConnections } from "../connections/store.ts";
import { countingDeleted } from "../distributed/counting-deleted.ts";
import { findRequest } from "../inbox/handle-webhook.ts";
import { decodeContent } from "../receive/kept-request.ts";
import { deleteWebhooks, listStoredRequests, type StoredRequest } from "./store.ts";

const AT_ONCE = 50;

/**
 * Deletes received webhooks of integrations that contain a word in address, headers or body, also in base64.
 * Which of the others were passed on for the connections is forgotten.
 */
export async function eraseInbox(
  ctx: EnvironmentContext,
  person: {
    readonly connections: readonly ConnectionUuid[];
    readonly integrationIds: readonly number[];
    readonly words: readonly string[];
  },
  counted: Counted,
): Promise<void> {
  const { connections, integrationIds, words } = person;
  const environmentId = ctx.environment.id;
  await forgetConnections(ctx.db, environmentId, connections);
  if (words.length === 0) return;
  let after = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = { integrationIds, after, limit: AT_ONCE };
    const webhooks = await listStoredRequests(ctx.db, environmentId, page);
    const last = webhooks.at(-1);
    if (last === undefined) return;
    after = last.sequence;
    const named: string[] = [];
    for (const webhook of webhooks) {
      if (await names(ctx, webhook, words)) named.push(webhook.id);
    }
    if (named.length > 0) {
      await counted(ctx, async (ctx) => {
        const { count } = await countingDeleted(
          ctx,
          environmentId,
          async (db) => await deleteWebhooks(db, environmentId, named),
        );
        return count;
      });
    }
  }
}

async function names(
  ctx: EnvironmentContext,
  webhook: StoredRequest,
  words: readonly string[],
): Promise<boolean> {
  const received = await findRequest(ctx, webhook);
  if (received === undefined) return false;
  // A body in a coding that cannot be read is searched as it came.
  const { url, headers, body } = await decodeContent(received).catch(() => received);
  const text = `${url}\n${JSON.stringify(headers)}\n${Buffer.from(body).toString("utf8")}`;
  return await holdsWord(text, words);
}
