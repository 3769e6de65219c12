import type { Router } from "../match/router.ts";
import { clientSecret, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Intercom docs, "Setting up webhooks". HEAD asks whether anyone is there. */
export const intercom: Router = {
  proof: hmacProof({
    header: "x-hub-signature",
    algorithm: "sha1",
    prefix: "sha1=",
    secret: clientSecret,
  }),
  matchesOn: ["app_id"],
  read: singleEvent((body) => ({
    types: texts(body["topic"], body["type"]),
    id: texts(body["id"])[0],
    match: matches(["config.app_id", body["app_id"]], ["metadata.appId", body["app_id"]]),
  })),
};
