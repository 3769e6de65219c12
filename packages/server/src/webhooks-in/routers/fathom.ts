import type { Router } from "../match/router.ts";
import { at, isObject, matches, singleEvent, standardProof, texts } from "../match/router-kit.ts";

/** Source: Fathom docs, "Webhooks"; signed as Standard Webhooks. */
export const fathom: Router = {
  proof: standardProof(),
  read: singleEvent((body, { headers, query }) => {
    const recorder = at(isObject(body["meeting"]) ? body["meeting"] : body, "recorded_by", "email");
    return {
      types: texts(body["type"], "*"),
      id: headers["webhook-id"],
      match: matches(
        ["connectionId", query["svcConnectionId"]],
        ["metadata.email", recorder],
        ["metadata.emails", recorder],
      ),
    };
  }),
};
