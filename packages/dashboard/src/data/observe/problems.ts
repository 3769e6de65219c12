import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

export type Problem = AnswerOf<"listProblems">["data"][number];

/** What a list of problems is about; the words of the API. */
export interface ProblemFilter {
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
}

export function problemsQuery(environment: string, filter: ProblemFilter) {
  return pagedQuery(["problems", environment, filter], async ({ query: page, signal }) => {
    const query = Object({ ...filter, ...page });
    return await callApi("listProblems", { environment, query, signal });
  });
}

const MOST_COUNTED = 100;

/** What is open, for places that only point there; 100 stand for that many or more. */
export function openProblemsQuery(environment: string) {
  return queryOptions({
    queryKey: ["problems", environment, "open"],
    queryFn: async ({ signal }) => {
      const query = Object({ state: "open", limit: String(MOST_COUNTED) });
      return (await callApi("listProblems", { environment, query, signal })).data;
    },
  });
}

export function problemQuery(environment: string, problemId: string) {
  return queryOptions({
    queryKey: ["problem", environment, problemId],
    queryFn: async ({ signal }) =>
      (await callApi("getProblem", { environment, params: { problemId }, signal })).data,
  });
}

/** How runs end whose connection has no credentials that work: it is the problem then, and not the sync. */
const ofCredentials: ReadonlySet<string> = new Set([
  "invalid_credentials",
  "connection_refresh_backoff",
  "integration_misconfigured",
]);

export type RecordModel = AnswerOf<"listRecordModels">["data"][number];

/** What the guard refused for the connections that a problem names. */
export function refusalsQuery(environment: string, problem: Problem) {
  const { integration, model, connections } = problem;
  return queryOptions({
    queryKey: ["record-models", environment, "of-problem", problem.id, connections.sample],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        connections.sample.map(async (connection_id) => {
          const query = Object({ provider_config_key: integration, connection_id, model });
          return (await callApi("listRecordModels", { environment, query, signal })).data;
        }),
      );
      return pages.flat().filter(({ refusal }) => refusal !== null);
    },
  });
}

/** The syncs that are late for one connection of a problem: all of them wait for the same. */
export function lateSyncsQuery(environment: string, problem: Problem) {
  return queryOptions({
    queryKey: ["syncs", environment, "late", problem.id, problem.connections.sample[0]],
    queryFn: async ({ signal }) => {
      const query = Object({
        provider_config_key: problem.integration ?? undefined,
        name: problem.function ?? undefined,
        connection_id: problem.connections.sample[0],
      });
      const { data } = await callApi("listSyncs", { environment, query, signal });
      return data.filter(({ delay }) => delay !== null);
    },
  });
}

/** What blocks the syncs of a function: when each is tried next. */
export function failingSyncsQuery(environment: string, problem: Problem) {
  return queryOptions({
    queryKey: ["syncs", environment, "of-problem", problem.id],
    queryFn: async ({ signal }) => {
      const query = Object({
        provider_config_key: problem.integration ?? undefined,
        name: problem.function ?? undefined,
        state: problem.kind === "sync_failing" ? "failing" : undefined,
        limit: "100",
      });
      const { data } = await callApi("listSyncs", { environment, query, signal });
      return data.filter(({ reason }) => !ofCredentials.has(reason?.type ?? ""));
    },
  });
}
