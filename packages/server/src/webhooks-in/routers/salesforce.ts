import type { Router } from "../router.ts";
import { at, matches, singleEvent, texts } from "../router-kit.ts";

/** Sent by the customer's own Apex or flow, which names the connection in `svc`. */
export const salesforce: Router = {
  read: singleEvent((body) => ({
    types: texts(at(body, "svc", "eventType")),
    match: matches(["connectionId", at(body, "svc", "connectionId")]),
  })),
};
