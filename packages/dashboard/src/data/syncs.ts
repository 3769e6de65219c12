import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "./api.ts";

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

const PAGE_SIZE = 100;
/** How often a list is read again while something in it runs; else it is not. */
const WATCH_MS = 3000;
const noCursor: string | undefined = undefined;

/** Syncs of the whole environment, one for each connection and variant. */
export function syncsQuery(environment: string, filter: SyncFilter) {
  return infiniteQueryOptions({
    queryKey: ["syncs", environment, filter],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { ...filter, limit: String(PAGE_SIZE), cursor };
      return await callApi("listSyncs", { environment, query: Object(query), signal });
    },
    initialPageParam: noCursor,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
    refetchInterval: ({ state }) => {
      const rows = state.data?.pages.flatMap(({ data }) => data) ?? [];
      return rows.some((sync) => sync.state === "running") && WATCH_MS;
    },
  });
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
      state.data?.some(({ ended_at: endedAt }) => endedAt === null) === true && WATCH_MS,
  });
}
