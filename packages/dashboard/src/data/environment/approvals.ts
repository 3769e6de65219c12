import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pollEvery } from "../live/live.ts";
import { pagedQuery } from "../paged-query.ts";

export type Approval = AnswerOf<"listAgentApprovals">["data"][number];
export type WholeApproval = AnswerOf<"getAgentApproval">["data"];

/** What a list of approvals is about; the words of the API. */
export interface ApprovalFilter {
  readonly state?: string | undefined;
  readonly end_user_id?: string | undefined;
}

/** An agent waits for the one who looks at this. */
const WATCH_MS = 5000;

export function approvalsQuery(environment: string, filter: ApprovalFilter) {
  return pagedQuery(
    ["approvals", environment, filter],
    async ({ query: page, signal }) => {
      const query = Object({ ...filter, ...page });
      return await callApi("listAgentApprovals", { environment, query, signal });
    },
    () => pollEvery(WATCH_MS),
  );
}

export function approvalQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["approval", environment, id],
    queryFn: async ({ signal }) =>
      (await callApi("getAgentApproval", { environment, params: { id }, signal })).data,
  });
}
