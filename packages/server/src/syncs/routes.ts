import { type RouteInput, syncRoutes } from "@jackfield/contract";
import { AppError, oneValue } from "#foundation";
import { answerInPages, type RouteHandlers } from "#foundation/http";
import { confirmDeletes } from "./control/confirm-deletes.ts";
import type { SyncTarget } from "./control/find-target-syncs.ts";
import { pauseSyncs, startSyncs } from "./control/pause-syncs.ts";
import { triggerSyncs } from "./control/trigger-syncs.ts";
import { createVariant, deleteVariant, type VariantPlace } from "./control/variants.ts";
import { cancelRun } from "./listing/cancel-run.ts";
import { listSyncRuns } from "./listing/list-runs.ts";
import { listEnvironmentSyncs } from "./listing/list-syncs.ts";
import { readSyncStatuses } from "./schedule/read-sync-statuses.ts";
import { setFrequency } from "./schedule/set-frequency.ts";
import type { RunWish } from "./sync.ts";

const DEFAULT_SYNCS = 100;
const DEFAULT_RUNS = 50;

export const syncHandlers = {
  triggerSyncs: async (ctx, { body, query, headers }) => {
    const provider_config_key = oneValue("provider_config_key", {
      header: headers["provider-config-key"],
      query: query.provider_config_key,
      body: body.provider_config_key,
    });
    if (provider_config_key === undefined) throw new AppError("missing_provider_config_key");
    const connection_id = oneValue("connection_id", {
      header: headers["connection-id"],
      query: query.connection_id,
      body: body.connection_id,
    });
    const target = toTarget({ syncs: body.syncs, provider_config_key, connection_id });
    await triggerSyncs(ctx, { ...target, wish: toWish(body) });
    return { success: true };
  },
  pauseSyncs: async (ctx, { body }) => {
    await pauseSyncs(ctx, toTarget(body));
    return { success: true };
  },
  startSyncs: async (ctx, { body }) => {
    await startSyncs(ctx, toTarget(body));
    return { success: true };
  },
  confirmDeletes: async (ctx, { body }) => {
    const { provider_config_key: integrationKey, connection_id: connectionId, sync } = body;
    const allowed = await confirmDeletes(ctx, { integrationKey, connectionId, sync });
    return { allowed };
  },
  updateSyncConnectionFrequency: async (ctx, { body }) => {
    const { provider_config_key: integrationKey, connection_id: connectionId } = body;
    const { sync_name: name = "", sync_variant: variant = "base", frequency } = body;
    const sync = body.sync ?? { name, variant };
    const change = { integrationKey, connectionId, sync, frequency };
    return { frequency: await setFrequency(ctx, change) };
  },
  createSyncVariant: async (ctx, input) => {
    const { id, name, variant } = await createVariant(ctx, toPlace(input));
    return { id, name, variant };
  },
  deleteSyncVariant: async (ctx, input) => {
    await deleteVariant(ctx, toPlace(input));
    return { success: true };
  },
  getSyncStatus: async (ctx, { query }) => {
    const target = { ...query, syncs: parseNames(query.syncs) };
    return await answerInPages("syncs", readSyncStatuses(ctx, toTarget(target)));
  },
  listSyncs: async (ctx, { query }) => {
    const { provider_config_key: integrationKey, connection_id: connectionId, ...rest } = query;
    const { syncs, nextCursor } = await listEnvironmentSyncs(ctx, {
      ...{ integrationKey, connectionId, ...rest },
      limit: query.limit ?? DEFAULT_SYNCS,
    });
    return { data: [...syncs], next_cursor: nextCursor };
  },
  listSyncRuns: async (ctx, { params, query }) => {
    const { limit = DEFAULT_RUNS, cursor } = query;
    const { runs, nextCursor } = await listSyncRuns(ctx, { id: params.id, limit, cursor });
    return { data: [...runs], next_cursor: nextCursor };
  },
  cancelRun: async (ctx, { params }) => {
    const { isCancelled, run } = await cancelRun(ctx, params);
    return { cancelled: isCancelled, data: run };
  },
} satisfies RouteHandlers<typeof syncRoutes>;

interface WireTarget {
  readonly syncs: SyncTarget["syncs"];
  readonly provider_config_key: string;
  readonly connection_id?: string | undefined;
}

function toTarget({ syncs, provider_config_key, connection_id }: WireTarget): SyncTarget {
  return { syncs, integrationKey: provider_config_key, connectionId: connection_id };
}

function toPlace({
  params,
  body,
}: Pick<RouteInput<typeof syncRoutes.createSyncVariant>, "params" | "body">): VariantPlace {
  const { provider_config_key: integrationKey, connection_id: connectionId } = body;
  return { ...params, integrationKey, connectionId };
}

const modes = {
  incremental: { reset: false, emptyCache: false },
  full_refresh: { reset: true, emptyCache: false },
  full_refresh_and_clear_cache: { reset: true, emptyCache: true },
} as const satisfies Record<string, RunWish>;

/** `sync_mode` and `full_resync` are older forms of `opts`. */
function toWish({
  opts,
  sync_mode,
  full_resync,
}: RouteInput<typeof syncRoutes.triggerSyncs>["body"]): RunWish {
  if (opts !== undefined && (sync_mode ?? full_resync) !== undefined) {
    throw new AppError(
      "invalid_body",
      "Send either `opts` or the older `sync_mode` and `full_resync`, not both.",
    );
  }
  return opts ?? modes[sync_mode ?? (full_resync === true ? "full_refresh" : "incremental")];
}

/** `*`, or names separated by commas. */
function parseNames(text: string): SyncTarget["syncs"] {
  if (text === "*") return [];
  const names = text.split(",").map((name) => name.trim());
  const parsed = syncRoutes.pauseSyncs.body.shape.syncs.safeParse(names);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "invalid_query_params",
    "syncs: write `*`, or names separated by commas, each `name` or `name::variant`.",
  );
}
