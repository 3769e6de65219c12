import {
  type ConnectionMatch,
  type FrozenConnection,
  freezeConnections,
  listMatchingConnections,
  type MatchedConnection,
} from "#connections";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { notifyDue } from "#tasks";
import { insertItems } from "./items/store.ts";
import { REVOCATIONS, type Revocation } from "./revocation.ts";
import { lockRevocation, storeProgress } from "./store.ts";

/** A fraction of a second's work, so that neither locks nor those who wait for a page wait for long. */
const PAGE = 1000;

/**
 * Chooses and freezes the next connections; undefined when nothing is left to choose. What is frozen, and how far the
 * choice got, commit together.
 */
export async function selectPage(
  ctx: EnvironmentContext,
  id: string,
): Promise<Revocation | undefined> {
  return await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    const revocation = await lockRevocation(ctx.db, environmentId, id);
    if (revocation === undefined || revocation.passesLeft === 0) return undefined;
    const now = ctx.clock.now();
    const matched = await listMatchingConnections(ctx, {
      match: toMatch(revocation),
      until: revocation.createdAt,
      after: afterOf(revocation),
      limit: PAGE,
    });
    const items = await freeze(ctx, revocation, matched);
    const frozenAt = revocation.isRehearsal ? null : now;
    const added = await insertItems(ctx.db, environmentId, {
      ...{ revocationId: id, items, frozenAt, now },
    });
    const isLastPage = matched.length < PAGE;
    const passesLeft = revocation.passesLeft - (isLastPage ? 1 : 0);
    const after = isLastPage ? undefined : matched.at(-1);
    const isDone = passesLeft === 0;
    await storeProgress(ctx.db, environmentId, {
      ...{ id, added, after, passesLeft, frozenAt: isDone ? now : null },
    });
    if (added > 0) await notifyDue(ctx, REVOCATIONS);
    await ctx.failpoints.hit("revocations.page_frozen");
    return { ...revocation, passesLeft };
  });
}

async function freeze(
  ctx: EnvironmentContext,
  { id, isRehearsal }: Revocation,
  matched: readonly MatchedConnection[],
) {
  const uuids = matched.map(({ uuid }) => uuid);
  const frozen: readonly FrozenConnection[] = isRehearsal
    ? matched.map(({ uuid }) => ({ uuid, nextRefreshAt: null }))
    : await freezeConnections(ctx, { uuids, revocationId: id });
  const frozenOf = new Map(frozen.map((each) => [each.uuid, each]));
  return matched.flatMap((connection) => {
    const own = frozenOf.get(connection.uuid);
    return own === undefined ? [] : [{ ...connection, nextRefreshAt: own.nextRefreshAt }];
  });
}

function afterOf({ afterCreatedAt, afterId }: Revocation) {
  return afterCreatedAt === null || afterId === null
    ? undefined
    : { createdAt: afterCreatedAt, id: afterId };
}

function toMatch({ match }: Revocation): ConnectionMatch {
  return {
    integrationId: match.integrationId,
    connectionId: match.connection_id,
    tags: match.tags,
    endUserId: match.end_user_id,
    from: match.from === undefined ? undefined : new Date(match.from),
    to: match.to === undefined ? undefined : new Date(match.to),
    keyId: match.key_id,
  };
}
