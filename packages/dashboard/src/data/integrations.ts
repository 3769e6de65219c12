import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, apiAddress, callApi } from "./api.ts";

export type Integration = AnswerOf<"listIntegrations">["data"][number];

export function integrationsQuery(environment: string) {
  return queryOptions({
    queryKey: ["integrations", environment],
    queryFn: async ({ signal }) =>
      (await callApi("listIntegrations", { environment, signal })).data,
    staleTime: 60_000,
  });
}

/** The logo at this page's own origin: its policy shows no image of another one. */
function logoOf(logo: string | undefined): string | undefined {
  const file = logo?.split("/").at(-1);
  return file === undefined || file === ""
    ? undefined
    : `${apiAddress}/images/template-logos/${file}`;
}
