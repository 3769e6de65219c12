import type { Router } from "../match/router.ts";
import { at, clientSecret, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Jobber docs, "Setting up webhooks". */
export const jobber: Router = {
  proof: hmacProof({
    header: "x-jobber-hmac-sha256",
    encoding: "base64",
    required: true,
    secret: clientSecret,
  }),
  matchesOn: ["accountId"],
  read: singleEvent((body) => {
    const event = at(body, "data", "webHookEvent");
    return {
      types: texts(at(event, "topic"), body["topic"]),
      match: matches(["config.accountId", at(event, "accountId") ?? body["accountId"]]),
    };
  }),
};
