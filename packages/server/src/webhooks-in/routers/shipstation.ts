import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts } from "../match/router-kit.ts";

function storeOf(address: unknown): string | undefined {
  const [text] = texts(address);
  if (text === undefined || !URL.canParse(text)) return undefined;
  return new URL(text).searchParams.get("storeID") ?? undefined;
}

/** Source: ShipStation docs, "Webhooks": the data is behind `resource_url`. */
export const shipstation: Router = {
  read: singleEvent((body, { headers, query }) => ({
    types: texts(body["resource_type"]),
    match: matches(
      ["connectionId", headers["x-svc-connection-id"] ?? query["svcConnectionId"]],
      ["metadata.storeId", storeOf(body["resource_url"])],
      ["metadata.storeIds", storeOf(body["resource_url"])],
    ),
  })),
};
