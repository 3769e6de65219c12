import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts, tokenProof } from "../match/router-kit.ts";

/** The webhook is made with both headers. */
export const videoask: Router = {
  proof: tokenProof({ header: "svc-webhook-secret" }),
  read: singleEvent((body, { headers }) => ({
    types: texts(body["type"], body["event_type"]),
    id: texts(body["event_id"])[0],
    match: matches(["connectionId", headers["svc-connection-id"]]),
  })),
};
