import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AnswerOf, type CallOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";
import { justBefore } from "./just-before.ts";

export type RecordModel = AnswerOf<"listRecordModels">["data"][number];
export type SyncedRecord = AnswerOf<"listRecords">["records"][number];

/** Where records are: a model of a connection. */
export interface ModelName {
  readonly integration: string;
  readonly connection: string;
  readonly model: string;
  readonly variant: string;
}

export interface ModelFilter {
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly model?: string | undefined;
}

export function modelsQuery(environment: string, filter: ModelFilter) {
  return pagedQuery(["record-models", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...filter, ...page });
    return await callApi("listRecordModels", { environment, query, signal });
  });
}

/** What every call about records of a model is made with. */
export function callOfModel({ integration, connection, model, variant }: ModelName) {
  return {
    query: { model, variant },
    headers: { "connection-id": connection, "provider-config-key": integration },
  };
}

export interface RecordFilter {
  readonly filter?: string | undefined;
  readonly ids?: string | undefined;
  /** The records as they were at this moment. */
  readonly as_of?: string | undefined;
}

/** Records of a model, the newest change first. */
export function recordsQuery(environment: string, name: ModelName, filter: RecordFilter) {
  const { headers, query: model } = callOfModel(name);
  return pagedQuery(["records", environment, name, filter], async ({ query: page, signal }) => {
    const query = Object({ ...model, ...filter, ...page, order: "desc" });
    const answer = await callApi("listRecords", { environment, query, headers, signal });
    return { data: answer.records, next_cursor: answer.next_cursor };
  });
}

/** `known`: as a list has it, shown until it is read again. Without `asOf` as it is now. */
export function recordQuery(
  environment: string,
  name: ModelName,
  { id, known, asOf }: { id: string; known: SyncedRecord | undefined; asOf: string | undefined },
) {
  const { headers, query } = callOfModel(name);
  return queryOptions({
    ...(known === undefined ? {} : { placeholderData: known }),
    queryKey: ["record", environment, name, id, asOf],
    queryFn: async ({ signal }) => {
      const call = { environment, headers, signal };
      if (asOf === undefined) {
        return (await callApi("getRecord", { ...call, params: { id }, query: Object(query) })).data;
      }
      return await readVersion(call, { ...query, ids: id, as_of: asOf });
    },
  });
}

type VersionCall = Pick<CallOf<"listRecords">, "environment" | "headers" | "signal">;

/** The record as it was at the moment; null where there was none. */
async function readVersion(
  call: VersionCall,
  query: { ids: string; as_of: string },
): Promise<SyncedRecord | null> {
  const answer = await callApi("listRecords", { ...call, query: Object({ ...query, limit: "1" }) });
  return answer.records[0] ?? null;
}

/** How much of a model's past can be read; null where no history is kept. */
export function historyQuery(environment: string, model: string) {
  return queryOptions({
    queryKey: ["record-history", environment, model],
    queryFn: async ({ signal }) => {
      const { data } = await callApi("listRecordHistories", { environment, signal });
      return data.find((history) => history.model === model) ?? null;
    },
  });
}

const VERSIONS_AT_ONCE = 10;

/** Earlier versions of a record, the latest first, as far back as the history of its model goes. */
export function versionsQuery(
  environment: string,
  name: ModelName,
  { record, readableFrom }: { record: SyncedRecord; readableFrom: string },
) {
  const { headers, query } = callOfModel(name);
  const changedAt = record._svc_metadata.last_modified_at;
  return infiniteQueryOptions({
    queryKey: ["record-versions", environment, name, record.id, changedAt],
    queryFn: async ({ pageParam, signal }) => {
      const versions: SyncedRecord[] = [];
      let before: string | undefined = pageParam;
      while (before !== undefined && versions.length < VERSIONS_AT_ONCE) {
        const as_of = justBefore(before);
        // Versions from before the history began are not known.
        if (Date.parse(as_of) < Date.parse(readableFrom)) return { versions, before: undefined };
        const call = { environment, headers, signal };
        const version = await readVersion(call, { ...query, ids: record.id, as_of });
        if (version !== null) versions.push(version);
        before = version?._svc_metadata.last_modified_at;
      }
      return { versions, before };
    },
    initialPageParam: changedAt,
    getNextPageParam: ({ before }) => before,
  });
}

/** How many records that last changed before a time still have their content. */
export function prunableQuery(environment: string, name: ModelName, before: string) {
  const { headers, query } = callOfModel(name);
  return queryOptions({
    queryKey: ["prunable", environment, name, before],
    queryFn: async ({ signal }) => {
      const call = { environment, query: { ...query, before }, headers, signal };
      return await callApi("countPrunableRecords", call);
    },
    gcTime: 0,
  });
}

/** Emptied in one call. */
const PRUNED_AT_ONCE = 10_000;

/** Empties these records batch by batch; `onProgress` is called with how many have been emptied. */
export async function pruneRecords(
  environment: string,
  name: ModelName,
  { before, onProgress }: { before: string; onProgress: (count: number) => void },
): Promise<number> {
  const { headers, query } = callOfModel(name);
  let count = 0;
  for (let hasMore = true; hasMore; ) {
    const body = { ...query, before, limit: PRUNED_AT_ONCE };
    const done = await callApi("pruneRecords", { environment, body, headers });
    count += done.count;
    hasMore = done.has_more;
    onProgress(count);
  }
  return count;
}
