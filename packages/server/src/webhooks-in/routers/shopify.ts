import type { Router } from "../match/router.ts";
import { eitherSecret, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Shopify docs, "Deliver webhooks through HTTPS". */
export const shopify: Router = {
  proof: hmacProof({ header: "x-shopify-hmac-sha256", encoding: "base64", secret: eitherSecret }),
  matchesOn: ["subdomain"],
  read: singleEvent((_body, { headers }) => ({
    types: texts(headers["x-shopify-topic"]),
    // Not the event id: webhooks of several topics share it.
    id: headers["x-shopify-webhook-id"],
    match: matches(["config.subdomain", headers["x-shopify-shop-domain"]?.split(".")[0]]),
  })),
};
