import { createHash, createHmac } from "node:crypto";
import { readForm } from "../match/body-shape.ts";
import type { InboundRequest, Router } from "../match/router.ts";
import { isSame, matches, readObject, texts, webhookSecret } from "../match/router-kit.ts";

function isForm({ headers }: InboundRequest): boolean {
  return (headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
}

/** Fields of a form in the order of their names and values, each name followed by its value. */
function sortedFields({ body }: InboundRequest): string {
  const form = readForm(body);
  const names = [...new Set(form.keys())].toSorted();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join("");
}

/** The account's auth token is in `webhook_secret`. Source: Twilio docs, "Webhooks security". */
export const twilio: Router = {
  matchesOn: ["accountSid"],
  proof: {
    secret: webhookSecret,
    isSigned: ({ headers }) => "x-twilio-signature" in headers,
    isGenuine: (request, secret) => {
      const { url, headers, query, body } = request;
      const signed = isForm(request) ? `${url}${sortedFields(request)}` : url;
      const signature = createHmac("sha1", secret).update(signed).digest("base64");
      if (!isSame(signature, headers["x-twilio-signature"] ?? "")) return false;
      if (isForm(request)) return true;
      const hash = createHash("sha256").update(body).digest("hex");
      return isSame(hash, query["bodySHA256"] ?? "");
    },
  },
  read: (request) => {
    const payload = isForm(request)
      ? Object.fromEntries(readForm(request.body))
      : readObject(request);
    const account = payload["AccountSid"];
    return [
      {
        payload,
        types: texts(
          payload["EventType"],
          payload["MessageStatus"] ?? payload["SmsStatus"],
          payload["CallStatus"],
        ),
        id: request.headers["i-twilio-idempotency-token"],
        match: matches(
          ["connectionId", request.query["svcConnectionId"]],
          ["config.accountSid", account],
          ["metadata.accountSid", account],
        ),
      },
    ];
  },
};
