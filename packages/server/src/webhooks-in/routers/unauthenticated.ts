import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts } from "../match/router-kit.ts";

/** A sender of the customer's own, which names the connection. */
export const unauthenticated: Router = {
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    match: matches(["connectionId", body["connectionId"]]),
  })),
};
