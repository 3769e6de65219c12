import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { requireFewBytes, requireSmall } from "../save/require-small.ts";
import { requireStorableJson } from "../save/require-storable-json.ts";
import { changeMetadataRows, listUnknownIds } from "./store.ts";

export interface MetadataChange {
  readonly integration: Pick<Integration, "id" | "uniqueKey">;
  readonly connectionIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** `merge` replaces only the fields given, on the first level. */
  readonly mode: "replace" | "merge";
}

/**
 * Changes the metadata of all the connections named; throws unknown_connection and changes none if one is missing.
 * Resolves to the whole of it, of one connection.
 */
export async function changeMetadata(
  ctx: EnvironmentContext,
  { integration, connectionIds, metadata, mode }: MetadataChange,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  requireSmall(ctx, "metadata", metadata);
  requireStorableJson(metadata);
  const wanted = [...new Set(connectionIds)];
  if (wanted.length === 0) return undefined;
  return await withTransaction(ctx, async (ctx) => {
    const { changed, largestBytes, only } = await changeMetadataRows(ctx.db, ctx.environment.id, {
      integrationId: integration.id,
      connectionIds: wanted,
      metadata,
      merge: mode === "merge",
      now: ctx.clock.now(),
    });
    // Of what the database has merged; it writes a space after each comma and colon.
    if (mode === "merge") requireFewBytes(ctx, "metadata", largestBytes);
    if (changed === wanted.length) return wanted.length === 1 ? only : undefined;
    const missing = await listUnknownIds(ctx.db, ctx.environment.id, {
      integrationId: integration.id,
      connectionIds: wanted,
    });
    throw new AppError("unknown_connection", wordMissing(integration, wanted, missing));
  });
}

// So many are named.
const NAMED = 5;

function wordMissing(
  { uniqueKey }: Pick<Integration, "uniqueKey">,
  wanted: readonly string[],
  missing: readonly string[],
): string {
  const named = missing.slice(0, NAMED).join(", ");
  const others = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
  const none = wanted.length === 1 ? "" : "; none of those sent was changed";
  return `Integration ${uniqueKey} has no connection ${named}${others}${none}.`;
}
