import type { Router } from "../match/router.ts";
import {
  hmacProof,
  type JsonObject,
  matches,
  readObject,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

/** The token and nothing else: an event that carries one too would come in without a signature. */
function isVerification(body: JsonObject): boolean {
  return Object.keys(body).join() === "verification_token";
}

/** Source: Notion docs, "Webhooks". The verification token is passed on to the customer: later requests are signed with it. */
export const notion: Router = {
  proof: hmacProof({ header: "x-notion-signature", prefix: "sha256=" }),
  matchesOn: ["workspace_id"],
  isUnsigned: (request) => isVerification(readObject(request)),
  read: singleEvent((body) => ({
    types: texts(isVerification(body) ? "verification" : body["type"]),
    id: texts(body["id"])[0],
    match: matches(["config.workspace_id", body["workspace_id"]]),
  })),
};
