import { Readable } from "node:stream";
import type { RouteInput, recordRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import { AppError, type EnvironmentContext, nearestName } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { invalidFields } from "#foundation/validation";
import { countConsumer, listModels } from "#functions";
import { spellingsOf } from "#gateway";
import { getIntegration } from "#integrations";
import { requireMoment } from "./history/require-moment.ts";
import { storedModel } from "./model.ts";
import { listRecordModels } from "./models/list-models.ts";
import { listRecords } from "./reading/list-records.ts";
import { asLines, asPage, presentRecords } from "./reading/present-records.ts";
import { readRecord } from "./reading/read-record.ts";
import { countPrunable, pruneRecords } from "./retention/prune-records.ts";

const DEFAULT_LIMIT = 100;
const DEFAULT_PRUNE_LIMIT = 1000;

/** Stored bytes of one page, however large its records are; the last one may pass it. */
const PAGE_BYTES = 16 * 1024 * 1024;

export const recordHandlers = {
  listRecords: async (ctx, { headers, query }, { reply }) => {
    const inLines = headers.accept?.includes("application/x-ndjson") === true;
    const { integration, ...place } = await findPlace(ctx, headers, query);
    countReader(ctx, integration, query);
    const { model: name, as_of: asOf } = query;
    if (asOf !== undefined) await requireMoment(ctx, { model: name, asOf });
    const chunks = listRecords(ctx, {
      ...place,
      requireModel: async () => await requireModel(ctx, { integration, model: query.model }),
      order: query.order,
      cursor: query.cursor,
      modifiedAfter: modifiedAfterOf(query),
      filter: query.filter === undefined ? undefined : new Set(query.filter),
      ids: query.ids,
      asOf,
      limit: query.limit ?? (inLines ? undefined : DEFAULT_LIMIT),
      maxBytes: inLines ? undefined : PAGE_BYTES,
    });
    const form = inLines ? asLines : asPage;
    const parts = presentRecords(chunks, form, (name) => spellingsOf(ctx, name));
    const type = inLines ? "application/x-ndjson" : "application/json";
    await reply.type(`${type}; charset=utf-8`).send(await toBody(parts));
  },
  listRecordModels: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, model } = query;
    const { provider_config_key: integrationKey, connection_id: connectionId } = query;
    return await listRecordModels(ctx, { integrationKey, connectionId, model, limit, cursor });
  },
  getRecord: async (ctx, { params, headers, query }, { reply }) => {
    const { integration, ...place } = await findPlace(ctx, headers, query);
    countReader(ctx, integration, query);
    const body = await readRecord(ctx, {
      ...{ ...place, id: params.id },
      requireModel: async () => await requireModel(ctx, { integration, model: query.model }),
    });
    await reply.type("application/json; charset=utf-8").send(body);
  },
  countPrunableRecords: async (ctx, { headers, query }) => {
    const { connection, model } = await findPlace(ctx, headers, query);
    const { count, hasMore } = await countPrunable(ctx, {
      connection,
      model,
      until: toBound(query),
    });
    return { count, has_more: hasMore };
  },
  pruneRecords: async (ctx, { headers, body }) => {
    const { connection, model } = await findPlace(ctx, headers, body);
    const { count, hasMore } = await pruneRecords(ctx, {
      connection,
      model,
      until: toBound(body),
      limit: body.limit ?? DEFAULT_PRUNE_LIMIT,
    });
    return { count, has_more: hasMore };
  },
} satisfies RouteHandlers<typeof recordRoutes>;

/** The last moment that dates have. */
const END_OF_TIME = 8.64e15;

/** Without one of the two, all records; where that may not be, the route has refused it. */
function toBound({
  until_cursor: cursor,
  before = END_OF_TIME,
}: {
  until_cursor?: string | undefined;
  before?: string | number | undefined;
}) {
  return cursor === undefined ? { before: new Date(before) } : { cursor };
}

async function findPlace(
  ctx: EnvironmentContext,
  headers: { "provider-config-key": string; "connection-id": string },
  { model, variant }: { model: string; variant?: string | undefined },
) {
  const integration = await getIntegration(ctx, headers["provider-config-key"]);
  const connectionId = headers["connection-id"];
  const connection = await getConnection(ctx, { integration, connectionId });
  const stored = storedModel(model, variant ?? "base");
  return { integration, connection: connection.uuid, model: stored };
}

/** Only of names that a model may have: any other is refused later, or has no records. */
function countReader(
  ctx: EnvironmentContext,
  { id: integrationId }: { readonly id: number },
  { model: name }: { readonly model: string },
): void {
  if (/^[A-Z][\w-]{0,254}$/.test(name)) {
    countConsumer(ctx, { integrationId, subject: "model", name });
  }
}

/** `delta` is the older name. */
function modifiedAfterOf({
  modified_after,
  delta,
}: RouteInput<typeof recordRoutes.listRecords>["query"]): string | undefined {
  if (modified_after !== undefined && delta !== undefined && modified_after !== delta) {
    throw new AppError(
      "invalid_query_params",
      "Send either `modified_after` or the older `delta`, not both.",
    );
  }
  return modified_after ?? delta;
}

/**
 * One part goes as a whole; of several the first two are read before the answer begins, so that its status
 * can still report what is wrong with the call. A failure after that cuts the answer off.
 */
async function toBody(parts: AsyncGenerator<Buffer>): Promise<Buffer | Readable> {
  const first = await parts.next();
  const second = await parts.next();
  if (first.done === true) return Buffer.alloc(0);
  if (second.done === true) return first.value;
  return Readable.from(continueWith([first.value, second.value], parts), { objectMode: false });
}

async function* continueWith(begun: readonly Buffer[], rest: AsyncGenerator<Buffer>) {
  yield* begun;
  yield* rest;
}

/** So many models are named when none is near; the rest is counted. */
const NAMED = 5;

/** Throws when no deployed sync of the integration saves the model, which may be misspelled. */
async function requireModel(
  ctx: EnvironmentContext,
  wanted: { integration: { readonly id: number; readonly uniqueKey: string }; model: string },
): Promise<void> {
  const { integration, model } = wanted;
  const known = await listModels(ctx, { integration });
  if (known.includes(model)) return;
  const message = `names a model that no sync of the integration "${integration.uniqueKey}" saves; ${suggest(model, known)}`;
  throw invalidFields("invalid_query_params", [{ path: ["model"], message }]);
}

function suggest(model: string, known: readonly string[]): string {
  const nearest = nearestName(model, known);
  if (nearest !== undefined) return `did you mean \`${nearest}\`?`;
  if (known.length === 0) return "deploy a sync first";
  const named = known.slice(0, NAMED).map((name) => `\`${name}\``);
  const rest = known.length - named.length;
  return `its models are ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
