import { queryOptions } from "@tanstack/react-query";
import { apiAddress } from "../start/base-path.ts";
import { type AnswerOf, callApi } from "./api.ts";

export type Integration = AnswerOf<"listIntegrations">["data"][number];

export function integrationsQuery(environment: string) {
  return queryOptions({
    queryKey: ["integrations", environment],
    queryFn: async ({ signal }) =>
      (await callApi("listIntegrations", { environment, signal })).data,
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data?.some(isLeaving) === true ? LEAVING_MS : false),
  });
}

/** The logo at this page's own origin: its policy shows no image of another one. */
export function logoOf(logo: string | undefined): string | undefined {
  const file = logo?.split("/").at(-1);
  return file === undefined || file === ""
    ? undefined
    : `${apiAddress}/images/template-logos/${file}`;
}

export type Provider = AnswerOf<"listProviders">["data"][number];

/** The catalogue in its short form; the browser keeps it while its ETag holds. */
export function providersQuery(environment: string) {
  return queryOptions({
    queryKey: ["providers", environment],
    queryFn: async ({ signal }) => {
      const query = { fields: "summary" } as const;
      return (await callApi("listProviders", { environment, query, signal })).data;
    },
    staleTime: 10 * 60_000,
  });
}

/** A provider with the fields that it asks for. */
export function providerQuery(environment: string, provider: string) {
  return queryOptions({
    queryKey: ["providers", environment, provider],
    queryFn: async ({ signal }) =>
      (await callApi("getProvider", { environment, params: { provider }, signal })).data,
    staleTime: 10 * 60_000,
  });
}

export function integrationQuery(environment: string, uniqueKey: string) {
  return queryOptions({
    queryKey: ["integration", environment, uniqueKey],
    queryFn: async ({ signal }) => {
      const query = Object({ include: "webhook,fields" });
      return (
        await callApi("getIntegration", { environment, params: { uniqueKey }, query, signal })
      ).data;
    },
    refetchInterval: ({ state }) => (isLeaving(state.data) ? LEAVING_MS : false),
  });
}

// Nothing announces that the last connection of an integration has gone.
const LEAVING_MS = 5_000;

function isLeaving(integration: Pick<Integration, "deleting_since"> | undefined): boolean {
  return integration?.deleting_since !== undefined;
}

export type ConnectFunnel = AnswerOf<"listConnectFunnel">["data"][number];

/** How far end users came with an integration in the last 30 days. */
export function funnelQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["connect-funnel", environment, integration],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key: integration });
      const { data } = await callApi("listConnectFunnel", { environment, query, signal });
      return data[0] ?? null;
    },
  });
}

export const MOST_FUNCTIONS = 100;

/** The functions of an integration, by name. */
export function functionsQuery(environment: string, uniqueKey: string) {
  return queryOptions({
    queryKey: ["functions", environment, uniqueKey],
    queryFn: async ({ signal }) => {
      const query = Object({ limit: String(MOST_FUNCTIONS) });
      return (await callApi("listFunctions", { environment, params: { uniqueKey }, query, signal }))
        .data;
    },
  });
}
