import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "./api.ts";
import { isLive } from "./live/live.ts";
import { pagedQuery } from "./paged-query.ts";

export type ListedSync = AnswerOf<"listSyncs">["data"][number];
export type SyncRun = AnswerOf<"listSyncRuns">["data"][number];
export type SyncState = ListedSync["state"];

/** What a list of syncs is about; the words of the API. */
export interface SyncFilter {
  readonly state?: string | undefined;
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly name?: string | undefined;
  /** `runs`: with the latest runs of each; `results`: with its records, and what its latest run did to them. */
  readonly include?: "runs" | "results" | undefined;
  /** `connection`: those of one connection after each other. */
  readonly sort?: "connection" | undefined;
}

/** How routes name a sync: each variant has a schedule, a checkpoint and records of its own. */
export function referenceOf({ name, variant }: Pick<ListedSync, "name" | "variant">) {
  return variant === "base" ? name : { name, variant };
}

export type LatestRun = NonNullable<ListedSync["latest_runs"]>[number];

/** How often a list is read again while something in it runs and changes are not heard of; else it is not. */
const WATCH_MS = 3000;

/** Syncs of the whole environment, one for each connection and variant. */
export function syncsQuery(environment: string, filter: SyncFilter) {
  return pagedQuery(
    ["syncs", environment, filter],
    async ({ query: page, signal }) => {
      const query = Object({ ...filter, ...page });
      return await callApi("listSyncs", { environment, query, signal });
    },
    (syncs) => !isLive() && syncs.some(({ state }) => state === "running") && WATCH_MS,
  );
}

const LATEST_RUNS = 20;
/** As many as the API gives at once: a run older than these has no page. */
const MOST_RUNS = 500;

/** One run, found among those of its sync; null when it is none of them. */
export function syncRunQuery(
  environment: string,
  { syncId, runId }: { syncId: string; runId: string },
) {
  return queryOptions({
    queryKey: ["sync-runs", environment, syncId, runId],
    queryFn: async ({ signal }) => {
      const params = { id: syncId };
      const query = Object({ limit: String(MOST_RUNS) });
      const { data } = await callApi("listSyncRuns", { environment, params, query, signal });
      return data.find(({ id }) => id === runId) ?? null;
    },
    refetchInterval: ({ state }) => !isLive() && state.data?.ended_at === null && WATCH_MS,
  });
}

/** The latest runs of a sync, newest first. */
export function syncRunsQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["sync-runs", environment, id],
    queryFn: async ({ signal }) => {
      const query = Object({ limit: String(LATEST_RUNS) });
      return (await callApi("listSyncRuns", { environment, params: { id }, query, signal })).data;
    },
    refetchInterval: ({ state }) =>
      !isLive() &&
      state.data?.some(({ ended_at: endedAt }) => endedAt === null) === true &&
      WATCH_MS,
  });
}

/** The newest run of a sync, asked for now. */
export async function readNewestRun(environment: string, id: string): Promise<SyncRun | undefined> {
  const query = Object({ limit: "1" });
  return (await callApi("listSyncRuns", { environment, params: { id }, query })).data[0];
}

/** For how long a run that was asked for is looked for; changes that are heard of come later than that, too. */
const MOST_LOOKS = 20;

/** The run that came after one; null until there is one. */
export function followingRunQuery(
  environment: string,
  { syncId, after }: { syncId: string; after: string | undefined },
) {
  return queryOptions({
    queryKey: ["sync-runs", environment, syncId, "following", after ?? ""],
    queryFn: async () => {
      const newest = await readNewestRun(environment, syncId);
      return newest === undefined || newest.id === after ? null : newest;
    },
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < MOST_LOOKS && WATCH_MS,
  });
}

type NamedSync = Pick<ListedSync, "name" | "variant" | "provider_config_key" | "connection_id">;

/** Where a sync of a connection is now; null when it is gone. */
export function syncStatusQuery(environment: string, sync: NamedSync | undefined) {
  return queryOptions({
    queryKey: ["syncs", environment, "status", sync],
    queryFn: async ({ signal }) => {
      const { provider_config_key, connection_id, name, variant } = sync ?? {};
      const query = Object({ provider_config_key, connection_id, syncs: `${name}::${variant}` });
      return (await callApi("getSyncStatus", { environment, query, signal })).syncs[0] ?? null;
    },
  });
}
