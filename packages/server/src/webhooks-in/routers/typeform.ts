import type { Router } from "../match/router.ts";
import { at, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Typeform docs, "Secure your webhooks". */
export const typeform: Router = {
  proof: hmacProof({ header: "typeform-signature", prefix: "sha256=", encoding: "base64" }),
  read: singleEvent((body, { query }) => ({
    types: texts(body["event_type"]),
    id: texts(body["event_id"])[0],
    match: matches(
      ["connectionId", query["svcConnectionId"]],
      ["metadata.formIds", at(body, "form_response", "form_id")],
      ["metadata.formId", at(body, "form_response", "form_id")],
    ),
  })),
};
