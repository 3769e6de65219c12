import { createHash } from "node:crypto";
import { readForm } from "../match/body-shape.ts";
import type { InboundRequest, Router } from "../match/router.ts";
import { isSame, matches, readObject, texts, webhookSecret } from "../match/router-kit.ts";

const FIELD = "notif=";

/** Older accounts post a form whose `notif` field holds the JSON. */
function readBody(request: InboundRequest): Readonly<Record<string, unknown>> {
  // The hash lets anyone who has seen one signed body lengthen it: a field behind JSON is not the vendor's.
  const isForm = request.body.subarray(0, FIELD.length).toString() === FIELD;
  const notice = isForm ? readForm(request.body).get("notif") : null;
  return readObject(notice === null ? request : { ...request, body: Buffer.from(notice) });
}

/** The signature is a hash of the secret with the body. */
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
