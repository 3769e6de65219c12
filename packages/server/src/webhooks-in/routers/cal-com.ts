import type { Router } from "../match/router.ts";
import { hmacProof, namedConnection, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Cal.com docs, "Webhooks". */
export const calCom: Router = {
  proof: hmacProof({ header: "x-cal-signature-256" }),
  read: singleEvent((body, request) => ({
    types: texts(body["triggerEvent"]),
    match: namedConnection(request, body),
  })),
};
