import type { Router } from "../match/router.ts";
import { eitherSecret, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Checkr docs, "Webhooks". */
export const checkr: Router = {
  proof: hmacProof({
    header: "x-checkr-signature",
    required: true,
    secret: eitherSecret,
  }),
  matchesOn: ["account_id"],
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    id: texts(body["id"])[0],
    match: matches(["config.account_id", body["account_id"]]),
  })),
};
