import type { Router } from "../router.ts";
import { hmacProof, matches, readObject, singleEvent, texts } from "../router-kit.ts";

/** Source: Notion docs, "Webhooks". The verification token is passed on to the customer: later requests are signed with it. */
export const notion: Router = {
  proof: hmacProof({ header: "x-notion-signature", prefix: "sha256=" }),
  matchesOn: ["workspace_id"],
  isUnsigned: (request) => "verification_token" in readObject(request),
  read: singleEvent((body) => ({
    types: texts(body["type"], "verification_token" in body ? "verification" : undefined),
    id: texts(body["id"])[0],
    match: matches(["config.workspace_id", body["workspace_id"]]),
  })),
};
