import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts, timedPairsProof } from "../match/router-kit.ts";

/** Source: Stripe docs, "Verify webhook signatures", "Connect webhooks". */
export const stripe: Router = {
  proof: timedPairsProof({ header: "stripe-signature" }),
  matchesOn: ["stripe_user_id"],
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    id: texts(body["id"])[0],
    match: matches(
      ["config.stripe_user_id", body["account"]],
      ["metadata.stripeAccount", body["account"]],
    ),
  })),
};
