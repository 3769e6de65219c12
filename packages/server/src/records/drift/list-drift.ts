import type { RouteOutput, recordDriftRoutes } from "@jackfield/contract";
import { type ConnectionUuid, type EnvironmentContext, keysetCursor, Pace } from "#foundation";
import { listFunctions } from "#functions";
import { expectField } from "./expected-fields.ts";
import { type DriftedField, findDrift } from "./find-drift.ts";
import { flushDrift } from "./note-fields.ts";
import { type DriftRow, listProfiles } from "./store.ts";

type DriftPage = RouteOutput<typeof recordDriftRoutes.listDrift>;
type PresentedModel = DriftPage["data"][number];
type SyncSchemas = Awaited<ReturnType<typeof listFunctions<"sync">>>;

const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
/** The order is that of numbers alone. */
const NO_TIME = new Date(0);

/** Models with the fields of their records, those sampled last first; throws invalid_cursor. */
export async function listDrift(
  ctx: EnvironmentContext,
  query: {
    readonly connection: ConnectionUuid | undefined;
    /** As it is stored. */
    readonly model: string | undefined;
    readonly isWhole: boolean;
    readonly limit: number;
    readonly cursor: string | undefined;
  },
): Promise<DriftPage> {
  const { connection, model, limit, cursor } = query;
  const before = cursor === undefined ? undefined : Number(cursors.read(cursor).id);
  await flushDrift(ctx);
  const filter = { connection, model, before, limit: limit + 1 };
  const rows = await listProfiles(ctx.db, ctx.environment.id, filter);
  const page = rows.slice(0, limit);
  const schemas = new Map<number, SyncSchemas>();
  const pace = new Pace(1);
  const data: PresentedModel[] = [];
  for (const row of page) {
    const { integrationId } = row;
    const syncs =
      schemas.get(integrationId) ??
      (await listFunctions(ctx, { integration: { id: integrationId }, type: "sync" }));
    schemas.set(integrationId, syncs);
    data.push(presentModel(row, syncs, query.isWhole));
    await pace.spend(1);
  }
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last && cursors.write({ createdAt: NO_TIME, id: String(last.id) });
  return { data, next_cursor: next ?? null };
}

function presentModel(row: DriftRow, syncs: SyncSchemas, isWhole: boolean): PresentedModel {
  const [model = row.model, variant = "base"] = row.model.split("::");
  const schemas = syncs
    .filter(({ definition }) => definition.models.includes(model))
    .map(({ definition: { jsonSchema } }) => ({
      schema: jsonSchema[model] ?? true,
      definitions: jsonSchema,
    }));
  const expect =
    schemas.length === 0 ? undefined : (pointer: string) => expectField(schemas, pointer);
  const fields = findDrift(row.profile, expect);
  const sampled = row.profile.fields[""]?.object;
  return {
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    ...{ model, variant, sampled_records: sampled?.total ?? 0 },
    since: row.firstAt.toISOString(),
    last_sampled_at: row.lastAt.toISOString(),
    more_fields: row.profile.isCut,
    fields: fields.filter(({ findings }) => isWhole || findings.length > 0).map(presentField),
  };
}

function presentField(field: DriftedField): PresentedModel["fields"][number] {
  return {
    pointer: field.pointer,
    findings: [...field.findings],
    in_schema: field.isNamed ?? null,
    expected: field.expected === undefined ? null : [...field.expected],
    types: field.types.map(({ type, total, firstMs, lastMs }) => ({
      ...{ type, count: total, first_seen_at: toTime(firstMs), last_seen_at: toTime(lastMs) },
    })),
    null_share: toShare(field.nullShare),
    null_share_before: toShare(field.nullShareBefore),
    missing_share: toShare(field.missingShare),
    first_seen_at: toTime(field.firstMs),
    last_seen_at: toTime(field.lastMs),
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function toShare(share: number | undefined): number | null {
  return share === undefined ? null : Math.round(share * 1000) / 1000;
}
