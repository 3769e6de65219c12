import { createHash } from "node:crypto";
import type { InboundRequest, Router } from "../router.ts";
import { isSame, matches, readObject, texts, webhookSecret } from "../router-kit.ts";

/** Older accounts post a form whose `notif` field holds the JSON. */
function readBody(request: InboundRequest): Readonly<Record<string, unknown>> {
  const notice = new URLSearchParams(request.body.toString()).get("notif");
  return readObject(notice === null ? request : { ...request, body: Buffer.from(notice) });
}

/** Source: contract 5.3; a hash of the secret with the body. */
export const sellsy: Router = {
  matchesOn: ["corpid"],
  proof: {
    secret: webhookSecret,
    isSigned: ({ headers }) => "x-webhook-signature" in headers,
    isGenuine: ({ headers, body }, secret) =>
      isSame(
        createHash("sha1").update(secret).update(body).digest("hex"),
        headers["x-webhook-signature"] ?? "",
      ),
  },
  read: (request) => {
    const payload = readBody(request);
    return [
      {
        payload,
        types: [texts(payload["relatedtype"], payload["event"]).join(".")].filter(Boolean),
        match: matches(["config.corpid", payload["corpid"]]),
      },
    ];
  },
};
