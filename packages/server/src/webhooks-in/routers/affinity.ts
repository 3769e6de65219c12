import type { Router } from "../match/router.ts";
import { singleEvent, texts } from "../match/router-kit.ts";

/** Source: Affinity docs, "Webhooks"; they name no account. */
export const affinity: Router = {
  read: singleEvent((body) => ({ types: texts(body["type"]), match: "all" })),
};
