import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";

export type Deployment = AnswerOf<"listPastDeployments">["data"][number];

export function deploymentsQuery(environment: string) {
  return pagedQuery(["deployments", environment], async ({ query: page, signal }) => {
    const query = Object(page);
    return await callApi("listPastDeployments", { environment, query, signal });
  });
}
