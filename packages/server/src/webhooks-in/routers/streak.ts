import {
  type InboundRequest,
  type Match,
  type Router,
  UnreadableWebhook,
} from "../match/router.ts";
import { matches, singleEvent, texts } from "../match/router-kit.ts";

/** The subscription is made with this header; its value is also whose event it is. */
function tokenOf({ headers }: InboundRequest): Match[] {
  const found = matches(["config.streakWebhookToken", headers["x-streak-webhook-token"]]);
  if (found.length === 0)
    throw new UnreadableWebhook("the x-streak-webhook-token header is missing");
  return found;
}

export const streak: Router = {
  matchesOn: ["streakWebhookToken"],
  read: singleEvent((body, request) => ({
    types: texts(body["event"], body["type"]),
    match: tokenOf(request),
  })),
};
