import type {
  DriftModel,
  KeptRecordHistory,
  QuarantinedModel,
  QuarantineSample,
  RecordHistory,
  RecordModel,
} from "../api-types/index.ts";
import { readFeed } from "../calls/read-feed.ts";
import { encode, headersOf } from "../calls/request-parts.ts";
import type {
  DriftFilter,
  FeedQuery,
  PrunableRecords,
  QuarantineFilter,
  QuarantineSampleQuery,
  RecordModelFilter,
  RecordName,
  RecordPrune,
  RecordQuery,
} from "../requests.ts";
import type { FeedEvent, RecordPage, SyncedRecord } from "../resources.ts";
import { Resource } from "./resource.ts";

/** What syncs saved. */
export class Records extends Resource {
  async list<Model extends object>(query: RecordQuery): Promise<RecordPage<Model>> {
    const { providerConfigKey, connectionId, modifiedAfter, asOf, filter, ...rest } = query;
    return await this.http.json({
      method: "GET",
      path: "/records",
      headers: headersOf(providerConfigKey, connectionId),
      query: { ...rest, modified_after: modifiedAfter, as_of: asOf, filter: filter?.join(",") },
    });
  }

  /** Page after page to the end, from `cursor` or the first record. */
  async *pages<Model extends object>(query: RecordQuery): AsyncGenerator<RecordPage<Model>> {
    let cursor = query.cursor ?? null;
    do {
      const page = await this.list<Model>({ ...query, cursor });
      yield page;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Deleted ones included; throws `not_found` when there is none. */
  async get<Model extends object>(query: RecordName): Promise<{ data: SyncedRecord<Model> }> {
    const { providerConfigKey, connectionId, id, ...rest } = query;
    return await this.http.json({
      method: "GET",
      path: `/records/${encode(id)}`,
      headers: headersOf(providerConfigKey, connectionId),
      query: { ...rest },
    });
  }

  /**
   * Changes of all models of the environment, each model's in its order; deletions and removals, too. Where it breaks off
   * it continues behind the last event, of which some may come again. Store `cursor` of an event together with what you
   * make of it, and pass it next time.
   */
  feed<Model extends object>(query: FeedQuery = {}): AsyncGenerator<FeedEvent<Model>, void> {
    return readFeed<FeedEvent<Model>>(this.http, query);
  }

  /** Empties payloads up to a cursor, or of records that last changed before a time; call again while `has_more`. */
  async prune(prune: RecordPrune): Promise<{ count: number; has_more: boolean }> {
    const { headers, wanted } = partsOfPrune(prune);
    return await this.http.json({ method: "PATCH", path: "/records/prune", headers, body: wanted });
  }

  /** How many records `prune` would empty, up to 100,000; it changes nothing. */
  async countPrunable(records: PrunableRecords): Promise<{ count: number; has_more: boolean }> {
    const { headers, wanted } = partsOfPrune(records);
    return await this.http.json({
      method: "GET",
      path: "/records/prune/count",
      headers,
      query: wanted,
    });
  }

  /** Models whose records can be read as they were at a moment. */
  async listHistories(): Promise<{ data: RecordHistory[] }> {
    return await this.http.json({ method: "GET", path: "/records/history" });
  }

  /** Keeps earlier versions of a model's records from now on, for 1 to 90 days. */
  async keepHistory(model: string, body: KeptRecordHistory): Promise<{ data: RecordHistory }> {
    const path = `/records/history/${encode(model)}`;
    return await this.http.json({ method: "PUT", path, body });
  }

  /** Keeps no more of them; those that are kept are removed within a day. */
  async endHistory(model: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/records/history/${encode(model)}` });
  }

  /** Models of the environment, or of one connection, newest first; `next_cursor` is null at the end. */
  async listModels(
    filter: RecordModelFilter = {},
  ): Promise<{ data: RecordModel[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/records/models", query: filter });
  }

  /** Fields of saved records that differ from their schema or from before, or `fields: "all"`; newest model first. */
  async listDrift(
    filter: DriftFilter = {},
  ): Promise<{ data: DriftModel[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/records/drift", query: filter });
  }

  /** Models with records that did not match their schema and were not saved, and why; newest first. */
  async listQuarantine(
    filter: QuarantineFilter = {},
  ): Promise<{ data: QuarantinedModel[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/records/quarantine", query: filter });
  }

  /** Samples of the quarantined records of a model, oldest first. */
  async listQuarantineSamples(query: QuarantineSampleQuery): Promise<{ data: QuarantineSample[] }> {
    return await this.http.json({ method: "GET", path: "/records/quarantine/samples", query });
  }
}

function partsOfPrune(prune: RecordPrune) {
  const { providerConfigKey, connectionId, untilCursor, ...rest } = prune;
  const headers = headersOf(providerConfigKey, connectionId);
  return { headers, wanted: { ...rest, until_cursor: untilCursor } };
}
