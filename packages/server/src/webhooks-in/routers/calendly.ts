import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts, timedPairsProof } from "../match/router-kit.ts";

/** Source: Calendly docs, "Webhook signatures"; no older than three minutes. */
export const calendly: Router = {
  proof: timedPairsProof({ header: "calendly-webhook-signature", toleranceMs: 180_000 }),
  matchesOn: ["owner"],
  read: singleEvent((body) => ({
    types: texts(body["event"]),
    match: matches(["config.owner", body["created_by"]]),
  })),
};
