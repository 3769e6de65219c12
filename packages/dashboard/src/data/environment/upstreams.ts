import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type Upstream = AnswerOf<"getUpstream">["data"];
export type UpstreamTool = Upstream["list"][number];

/** The server of an integration without its tools; null where it has none. */
export function upstreamSummaryQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["upstream", environment, integration, "summary"],
    queryFn: async ({ signal }) => {
      const query = { integration };
      const { data } = await callApi("listUpstreams", { environment, query, signal });
      return data[0] ?? null;
    },
  });
}

const PAGE_SIZE = "500";

/** The server of an integration that has one, with its tools. */
export function upstreamQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["upstream", environment, integration],
    queryFn: async ({ signal }) => {
      const list: UpstreamTool[] = [];
      let cursor: string | undefined;
      for (;;) {
        const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
        const call = { environment, params: { integration }, query, signal };
        const { data, next_cursor } = await callApi("getUpstream", call);
        list.push(...data.list);
        if (next_cursor === null) return { ...data, list };
        cursor = next_cursor;
      }
    },
  });
}
