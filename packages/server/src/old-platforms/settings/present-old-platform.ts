import type { EnvironmentContext } from "#foundation";
import type { MovedConnection, moveStates, OldPlatform } from "../old-platform.ts";
import { countStates } from "../store.ts";

export async function presentPlatforms(ctx: EnvironmentContext, platforms: readonly OldPlatform[]) {
  const counted = await countStates(ctx.db, ctx.environment.id);
  return platforms.map(({ id, name, url, createdAt, updatedAt }) => {
    const own = counted.filter(({ oldPlatformId }) => oldPlatformId === id);
    const count = (state: (typeof moveStates)[number]) =>
      own.find((each) => each.state === state)?.count ?? 0;
    return {
      ...{ id, name, url },
      connections: {
        read_through: count("read_through"),
        handing_over: count("handing_over"),
        handed_over: count("handed_over"),
        handing_back: count("handing_back"),
        reauthorized: count("reauthorized"),
      },
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  });
}

export function presentMoved(moved: MovedConnection) {
  const { integrationKey, connectionId, state, oldSide, importedAt, handedOverAt } = moved;
  return {
    provider_config_key: integrationKey,
    connection_id: connectionId,
    state,
    old_side: oldSide,
    refusal: presentRefusal(moved),
    imported_at: importedAt.toISOString(),
    handed_over_at: handedOverAt?.toISOString() ?? null,
  };
}

function presentRefusal({ refusalCode, refusalMessage, refusedAt }: MovedConnection) {
  if (refusalCode === null || refusalMessage === null || refusedAt === null) return null;
  return { code: refusalCode, message: refusalMessage, at: refusedAt.toISOString() };
}
