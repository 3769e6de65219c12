import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

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

/** `known`: as a list has it, shown until it is read again. */
export function recordQuery(
  environment: string,
  name: ModelName,
  id: string,
  known: SyncedRecord | undefined,
) {
  const { headers, query } = callOfModel(name);
  return queryOptions({
    ...(known === undefined ? {} : { placeholderData: known }),
    queryKey: ["record", environment, name, id],
    queryFn: async ({ signal }) => {
      const call = { environment, params: { id }, query: Object(query), headers, signal };
      return (await callApi("getRecord", call)).data;
    },
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
