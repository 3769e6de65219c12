import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";
import { type Range, startOf } from "../ranges.ts";

export type AuditEvent = AnswerOf<"listAuditEvents">["data"][number];

/** What a list of the audit log is about; the words of the API. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly environment_id?: string | undefined;
  readonly outcome?: string | undefined;
}

export function auditQuery(filter: AuditFilter, range: Range) {
  return pagedQuery(["audit", filter, range], async ({ query: page, readAt, signal }) => {
    const query = Object({ ...filter, ...page, from: startOf(range, readAt) });
    return await callApi("listAuditEvents", { query, signal });
  });
}

/** The end of the chain of seals. */
export const auditHeadQuery = queryOptions({
  queryKey: ["audit-head"],
  queryFn: async ({ signal }) => (await callApi("getAuditHead", { signal })).data,
});
