import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, ApiError, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type ApiDocument = AnswerOf<"getApiDocument">["data"];

const keyOf = (environment: string, uniqueKey: string) => ["api-document", environment, uniqueKey];

/** The integration's OpenAPI document; null where there is none. */
export function apiDocumentQuery(environment: string, uniqueKey: string) {
  return queryOptions({
    queryKey: keyOf(environment, uniqueKey),
    queryFn: async ({ signal }): Promise<ApiDocument | null> => {
      const call = { environment, params: { uniqueKey }, signal };
      try {
        return (await callApi("getApiDocument", call)).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export function setApiDocument(
  environment: string,
  uniqueKey: string,
  document: ApiDocument | null,
): void {
  queryClient.setQueryData(keyOf(environment, uniqueKey), document);
}
