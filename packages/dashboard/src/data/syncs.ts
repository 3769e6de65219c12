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
}

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
