import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type WebhookArrivals = AnswerOf<"listWebhookArrivals">["data"][number];

/** How webhooks arrive for a connection; undefined where none came. */
export function arrivalsQuery(
  environment: string,
  { provider_config_key, connection_id }: { provider_config_key: string; connection_id: string },
) {
  return queryOptions({
    queryKey: ["webhook-arrivals", environment, provider_config_key, connection_id],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key, connection_id });
      const { data } = await callApi("listWebhookArrivals", { environment, query, signal });
      return data[0] ?? null;
    },
  });
}

export type SyncReconciliation = AnswerOf<"listReconciliations">["data"][number];

/** What webhooks brought and missed of a connection's records, the latest days. */
export function reconciliationsQuery(
  environment: string,
  { provider_config_key, connection_id }: { provider_config_key: string; connection_id: string },
) {
  return queryOptions({
    queryKey: ["reconciliations", environment, provider_config_key, connection_id],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key, connection_id, limit: 30 });
      return (await callApi("listReconciliations", { environment, query, signal })).data;
    },
  });
}
