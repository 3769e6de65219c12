import { createHmac } from "node:crypto";
import type { InboundRequest, Match, Router } from "../match/router.ts";
import {
  at,
  connectionSecret,
  isSame,
  matches,
  readPairs,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

/** The subscription is made with this header. */
function connectionOf({ headers, query }: InboundRequest): Match[] {
  return matches(["connectionId", headers["x-svc-connection-id"] ?? query["svcConnectionId"]]);
}

/** Several signatures while a secret is being changed. Source: PagerDuty docs, "Verifying signatures". */
export const pagerduty: Router = {
  secretHolder: (request) => connectionOf(request)[0],
  proof: {
    secret: connectionSecret,
    isSigned: ({ headers }) => "x-pagerduty-signature" in headers,
    isGenuine: ({ headers, body }, secret) => {
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      return readPairs(headers["x-pagerduty-signature"]).some(
        ({ name, value }) => name === "v1" && isSame(signature, value),
      );
    },
  },
  read: singleEvent((body, request) => ({
    types: texts(at(body, "event", "event_type")),
    id: texts(at(body, "event", "id"))[0],
    match: connectionOf(request),
  })),
};
