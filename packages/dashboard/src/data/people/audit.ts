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

const SEALS_FOLLOWED_MS = 60_000;
/** The server seals its first events within seconds. */
const FIRST_SEAL_AWAITED_MS = 2000;

/** The end of the chain of seals, which grows with every change. */
export const auditHeadQuery = queryOptions({
  queryKey: ["audit-head"],
  queryFn: async ({ signal }) => (await callApi("getAuditHead", { signal })).data,
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.seal === null ? FIRST_SEAL_AWAITED_MS : SEALS_FOLLOWED_MS,
  refetchOnWindowFocus: "always",
});
