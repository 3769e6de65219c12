import type { Router } from "../match/router.ts";
import { at, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Sent by the customer's own Apex or flow, which names the connection in `svc`. */
export const salesforce: Router = {
  read: singleEvent((body) => ({
    types: texts(at(body, "svc", "eventType")),
    match: matches(["connectionId", at(body, "svc", "connectionId")]),
  })),
};
