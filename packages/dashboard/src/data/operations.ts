import { queryOptions, useQuery } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "./api.ts";
import { pagedQuery } from "./paged-query.ts";
import { endOf, type Period, startOf } from "./ranges.ts";

export type Operation = AnswerOf<"listOperations">["data"][number];
export type OperationMessage = AnswerOf<"listOperationMessages">["data"][number];
export type OperationState = Operation["state"];

/** What a list of operations is about; the words of its address. */
export interface OperationFilter {
  readonly states?: string | undefined;
  readonly types?: string | undefined;
  readonly integrations?: string | undefined;
  readonly connections?: string | undefined;
  readonly functions?: string | undefined;
  readonly search?: string | undefined;
  /** Who or what caused them. */
  readonly actors?: string | undefined;
  /** HTTP statuses of their answers, and classes of these. */
  readonly status_codes?: string | undefined;
  readonly min_duration_ms?: string | undefined;
  readonly max_duration_ms?: string | undefined;
}

/** Operations of an environment, newest first; a relative time is counted from when the first page is read. */
export function operationsQuery(environment: string, filter: OperationFilter, period: Period) {
  return pagedQuery(
    ["operations", environment, period, filter],
    async ({ query: page, readAt, signal }) => {
      const query = Object({
        ...filter,
        ...page,
        from: startOf(period, readAt),
        to: endOf(period),
      });
      return await callApi("listOperations", { environment, query, signal });
    },
  );
}

/** `known`: as a list has it, shown until it is read again. */
export function operationQuery(environment: string, id: string, known?: Operation) {
  return queryOptions({
    ...(known === undefined ? {} : { placeholderData: known }),
    queryKey: ["operation", environment, id],
    queryFn: async ({ signal }) =>
      (await callApi("getOperation", { environment, params: { id }, signal })).data,
  });
}

export interface MessageFilter {
  readonly levels?: string | undefined;
  readonly search?: string | undefined;
  /** `asc` or `desc`; an address can have anything in it, which the API refuses. */
  readonly order: string;
}

export function messagesQuery(environment: string, id: string, filter: MessageFilter) {
  return pagedQuery(
    ["operation-messages", environment, id, filter],
    async ({ query: page, signal }) => {
      const query = Object({ ...filter, ...page });
      return await callApi("listOperationMessages", { environment, params: { id }, query, signal });
    },
  );
}

/** Names of operations of the last day that begin with a text, the most frequent first. */
export function useOperationNames(
  environment: string,
  of: "integrations" | "connections" | "functions",
  /** Nothing is asked before somebody wants to know. */
  prefix: string | undefined,
): readonly string[] {
  const { data } = useQuery({
    queryKey: ["operation-names", environment, of, prefix],
    queryFn: async ({ signal }) => {
      const query = { of, ...(prefix === undefined || prefix === "" ? {} : { prefix }) };
      const { data: names } = await callApi("listOperationNames", { environment, query, signal });
      return names.map(({ name }) => name);
    },
    enabled: prefix !== undefined,
    placeholderData: (before) => before,
  });
  return data ?? [];
}
