import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";
import type { Entry } from "./entry-modes.ts";

export type CustomProvider = AnswerOf<"getCustomProvider">["data"];

export function customProviderQuery(environment: string, slug: string) {
  return queryOptions({
    queryKey: ["custom-provider", environment, slug],
    queryFn: async ({ signal }) =>
      (await callApi("getCustomProvider", { environment, params: { slug }, signal })).data,
  });
}

/** What is wrong with an entry; the answer to the one before is shown until this one's comes. */
export function entryCheckQuery(environment: string, entry: Entry) {
  return queryOptions({
    queryKey: ["entry-check", environment, entry],
    queryFn: async ({ signal }) =>
      (await callApi("validateProvider", { environment, body: { entry }, signal })).data,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
}

/** Adds the provider, or replaces the entry of the one that is known. */
export async function saveCustomProvider(
  environment: string,
  {
    known,
    entry,
    replacesBuiltIn,
  }: { known: CustomProvider | undefined; entry: Entry; replacesBuiltIn: boolean },
): Promise<CustomProvider> {
  const body = { entry, ...(replacesBuiltIn ? { replaces_built_in: true } : {}) };
  const { data } =
    known === undefined
      ? await callApi("createCustomProvider", { environment, body })
      : await callApi("updateCustomProvider", {
          environment,
          params: { slug: known.slug },
          body: { entry },
        });
  queryClient.setQueryData(customProviderQuery(environment, data.slug).queryKey, data);
  await forgetProviders(environment);
  return data;
}

export async function deleteCustomProvider(environment: string, slug: string): Promise<void> {
  await callApi("deleteCustomProvider", { environment, params: { slug } });
  await forgetProviders(environment);
}

async function forgetProviders(environment: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["providers", environment] });
}
