import type { Router } from "../match/router.ts";
import { namedConnection, singleEvent, standardProof, texts } from "../match/router-kit.ts";

/** Source: folk docs, "Webhooks"; signed as Standard Webhooks. */
export const folk: Router = {
  proof: standardProof(),
  read: singleEvent((body, request) => ({
    types: texts(body["type"]),
    id: request.headers["webhook-id"],
    match: namedConnection(request),
  })),
};
