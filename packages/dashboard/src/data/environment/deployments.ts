import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

export type Deployment = AnswerOf<"listPastDeployments">["data"][number];

export type Canary = AnswerOf<"getCanary">["data"];

export type PastCanary = AnswerOf<"listCanaries">["data"][number];

const WATCH_MS = 5000;
const MOST_CANARIES = 20;

/** The last ones, newest first. */
export function canariesQuery(environment: string) {
  return queryOptions({
    queryKey: ["canary", environment, "all"],
    queryFn: async ({ signal }) => {
      const query = { limit: String(MOST_CANARIES) };
      return (await callApi("listCanaries", { environment, query, signal })).data;
    },
  });
}

/** The newest canary with both versions; null where there was none. */
export function newestCanaryQuery(environment: string) {
  return queryOptions({
    queryKey: ["canary", environment],
    queryFn: async ({ signal }) => {
      const query = { limit: "1" };
      const { data } = await callApi("listCanaries", { environment, query, signal });
      const [newest] = data;
      if (newest === undefined) return null;
      const params = { canaryId: newest.id };
      return (await callApi("getCanary", { environment, params, signal })).data;
    },
    refetchInterval: WATCH_MS,
  });
}

const LATEST = 3;

/** The last few, for an overview. */
export function latestDeploymentsQuery(environment: string) {
  return queryOptions({
    queryKey: ["deployments", environment, "latest"],
    queryFn: async ({ signal }) => {
      const query = { limit: String(LATEST) };
      return (await callApi("listPastDeployments", { environment, query, signal })).data;
    },
  });
}

export function deploymentsQuery(environment: string) {
  return pagedQuery(["deployments", environment], async ({ query: page, signal }) => {
    const query = Object(page);
    return await callApi("listPastDeployments", { environment, query, signal });
  });
}
