import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { holdsWord } from "#platform/words";
import { forgetConnections } from "../connections/store.ts";
import { countingDeleted } from "../distributed/counting-deleted.ts";
import { findRequest } from "../inbox/handle-webhook.ts";
import { decodeContent } from "../receive/kept-request.ts";
import { deleteWebhooks, listStoredRequests, type StoredRequest } from "./store.ts";

const AT_ONCE = 50;

/**
 * Deletes received webhooks of integrations that contain a word in address, headers or body, also in base64; resolves to how
 * many. Which of the others were passed on for the connections is forgotten.
 */
export async function eraseInbox(
  ctx: EnvironmentContext,
  person: {
    readonly connections: readonly ConnectionUuid[];
    readonly integrationIds: readonly number[];
    readonly words: readonly string[];
  },
): Promise<number> {
  const { connections, integrationIds, words } = person;
  const environmentId = ctx.environment.id;
  await forgetConnections(ctx.db, environmentId, connections);
  if (words.length === 0) return 0;
  let after = 0;
  let total = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = { integrationIds, after, limit: AT_ONCE };
    const webhooks = await listStoredRequests(ctx.db, environmentId, page);
    const last = webhooks.at(-1);
    if (last === undefined) return total;
    after = last.sequence;
    const named: string[] = [];
    for (const webhook of webhooks) {
      if (await names(ctx, webhook, words)) named.push(webhook.id);
    }
    if (named.length > 0) {
      await countingDeleted(
        ctx,
        environmentId,
        async (db) => await deleteWebhooks(db, environmentId, named),
      );
    }
    total += named.length;
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
