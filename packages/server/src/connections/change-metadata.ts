import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { requireStorableJson } from "./require-storable-json.ts";
import { changeMetadataRows } from "./store.ts";

export interface MetadataChange {
  readonly integration: Pick<Integration, "id" | "uniqueKey">;
  readonly connectionIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** `merge` replaces only the fields given, on the first level. */
  readonly mode: "replace" | "merge";
}

/** Changes the metadata of all the connections named; throws unknown_connection and changes none if one is missing. */
export async function changeMetadata(
  ctx: EnvironmentContext,
  { integration, connectionIds, metadata, mode }: MetadataChange,
): Promise<void> {
  requireStorableJson(metadata);
  const wanted = [...new Set(connectionIds)];
  if (wanted.length === 0) return;
  await withTransaction(ctx, async (ctx) => {
    const changed = await changeMetadataRows(ctx.db, ctx.environment.id, {
      integrationId: integration.id,
      connectionIds: wanted,
      metadata,
      merge: mode === "merge",
      now: ctx.clock.now(),
    });
    if (changed === wanted.length) return;
    throw new AppError(
      "unknown_connection",
      `Integration ${integration.uniqueKey} lacks at least one of these connections; none was changed.`,
    );
  });
}
