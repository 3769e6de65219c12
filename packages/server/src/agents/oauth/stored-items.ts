import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import { addMs, type EnvironmentContext, SECOND } from "#foundation";
import { openJson, sealJson } from "#vault";
import { itemIdOf } from "./item-id.ts";
import {
  consumeItem,
  deleteItem,
  type FoundItem,
  findGrantOf,
  findItem,
  revokeGrant,
  upsertItem,
} from "./store.ts";

/**
 * What the authorization server of an environment remembers, in the database: ids are hashed and payloads sealed.
 * `newReuseError` makes the error for a code or token that two requests present at once.
 */
export function createStoredItems(
  ctx: EnvironmentContext,
  newReuseError: () => Error,
): AdapterFactory {
  const environmentId = ctx.environment.id;
  const aadOf = (row: string) => ({
    ...{ environmentId, table: "agent_oauth_items", column: "payload", row },
  });
  const grantIdOf = async (held: string) => await itemIdOf(ctx, "Grant", held);
  const read = async (found: FoundItem | undefined): Promise<AdapterPayload | undefined> => {
    if (found === undefined) return undefined;
    const payload = toPayload(await openJson(ctx, aadOf(found.id), found.payload));
    if (found.consumedAt === null) return payload;
    return { ...payload, consumed: Math.floor(found.consumedAt.getTime() / SECOND) };
  };
  return (model: string): Adapter => {
    const idOf = async (held: string) => await itemIdOf(ctx, model, held);
    const uidOf = async (held: string) => await itemIdOf(ctx, `${model}-uid`, held);
    return {
      async upsert(held, payload, expiresIn) {
        const id = await idOf(held);
        const now = ctx.clock.now();
        const { grantId, uid, accountId } = payload;
        const isKept = await upsertItem(ctx.db, environmentId, {
          ...{ id, model, now },
          grantId: grantId === undefined ? undefined : await grantIdOf(grantId),
          uid: uid === undefined ? undefined : await uidOf(uid),
          endUserId: accountId,
          payload: await sealJson(ctx, aadOf(id), payload),
          expiresAt: expiresIn === undefined ? undefined : addMs(now, expiresIn * SECOND),
        });
        if (!isKept) throw newReuseError();
      },
      async find(held) {
        const now = ctx.clock.now();
        return await read(
          await findItem(ctx.db, environmentId, { id: await idOf(held), model, now }),
        );
      },
      async findByUid(held) {
        const now = ctx.clock.now();
        return await read(
          await findItem(ctx.db, environmentId, { uid: await uidOf(held), model, now }),
        );
      },
      async findByUserCode() {
        return undefined;
      },
      // The library looks whether it was used and notes that it is in two steps; of two requests that both pass the
      // first, the second ends here (RFC 9700, section 4.14.2).
      async consume(held) {
        const id = await idOf(held);
        const now = ctx.clock.now();
        if (await consumeItem(ctx.db, environmentId, { id, now })) return;
        const grantId = await findGrantOf(ctx.db, environmentId, id);
        if (grantId !== undefined) await revokeGrant(ctx.db, environmentId, { grantId, now });
        throw newReuseError();
      },
      async destroy(held) {
        await deleteItem(ctx.db, environmentId, await idOf(held));
      },
      async revokeByGrantId(held) {
        const grantId = await grantIdOf(held);
        await revokeGrant(ctx.db, environmentId, { grantId, now: ctx.clock.now() });
      },
    };
  };
}

// It was sealed as one, and opens only as it was.
function toPayload(value: unknown): AdapterPayload {
  return value as AdapterPayload;
}
