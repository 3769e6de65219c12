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
