import type { RouteOutput, recordRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import { type ConnectionUuid, type EnvironmentContext, keysetCursor } from "#foundation";
import { getIntegration } from "#integrations";
import { listModelRows, type ModelRow } from "./store.ts";

type ModelPage = RouteOutput<typeof recordRoutes.listRecordModels>;

export interface ModelQuery {
  readonly integrationKey: string | undefined;
  readonly connectionId: string | undefined;
  /** `Model::variant` for a variant. */
  readonly model: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
/** The order is that of numbers alone. */
const NO_TIME = new Date(0);

/** Models of an environment, newest first; throws what names of connections do, and invalid_cursor. */
export async function listRecordModels(
  ctx: EnvironmentContext,
  { limit, cursor, model, ...place }: ModelQuery,
): Promise<ModelPage> {
  const before = cursor === undefined ? undefined : Number(cursors.read(cursor).id);
  const connection = await findConnection(ctx, place);
  const filter = { connection, model, before, limit: limit + 1 };
  const rows = await listModelRows(ctx.db, ctx.environment.id, filter);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last && cursors.write({ createdAt: NO_TIME, id: String(last.id) });
  return { data: page.map(presentModel), next_cursor: next ?? null };
}

async function findConnection(
  ctx: EnvironmentContext,
  { integrationKey, connectionId }: Pick<ModelQuery, "integrationKey" | "connectionId">,
): Promise<ConnectionUuid | undefined> {
  if (integrationKey === undefined || connectionId === undefined) return undefined;
  const integration = await getIntegration(ctx, integrationKey);
  return (await getConnection(ctx, { integration, connectionId })).uuid;
}

function presentRefusal(row: ModelRow): ModelPage["data"][number]["refusal"] {
  if (row.refusedDeletes === null) return null;
  const share = row.liveCount === 0 ? 1 : row.refusedDeletes / row.liveCount;
  return {
    deletes: row.refusedDeletes,
    share: Math.min(1, share),
    since: row.refusedAt?.toISOString() ?? null,
    sample_ids: [...(row.refusedSample ?? [])],
  };
}

function presentModel(row: ModelRow): ModelPage["data"][number] {
  const [model = row.model, variant = "base"] = row.model.split("::");
  return {
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    model,
    variant,
    live_count: row.liveCount,
    last_modified_at: row.lastModifiedAt.toISOString(),
    bytes: row.bytes,
    largest_record_bytes: row.maxBytes,
    refused_deletes: row.refusedDeletes,
    refusal: presentRefusal(row),
  };
}
