import { createHmac } from "node:crypto";
import type { Router } from "../match/router.ts";
import {
  at,
  bodyOf,
  header,
  hmacProof,
  joined,
  literal,
  matches,
  readObject,
  secondsIn,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

/** Source: Zoom docs, "Using webhooks". */
export const zoom: Router = {
  proof: hmacProof({
    header: "x-zm-signature",
    prefix: "v0=",
    signed: joined(literal("v0:"), header("x-zm-request-timestamp"), literal(":"), bodyOf),
    sentAt: secondsIn("x-zm-request-timestamp"),
  }),
  matchesOn: ["account_id", "accountId"],
  // Unsigned, it would sign anything that a stranger asks for.
  handshakeIsSigned: true,
  handshake: (request, { webhookSecret }) => {
    if (request.body.byteLength === 0) return undefined;
    const body = readObject(request);
    const [plainToken] = texts(at(body, "payload", "plainToken"));
    if (body["event"] !== "endpoint.url_validation" || plainToken === undefined) return undefined;
    if (webhookSecret === undefined) return undefined;
    const encryptedToken = createHmac("sha256", webhookSecret).update(plainToken).digest("hex");
    return {
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({ plainToken, encryptedToken }),
    };
  },
  read: singleEvent((body) => ({
    types: texts(body["event"]),
    match: matches(
      ["config.account_id", at(body, "payload", "account_id")],
      ["config.accountId", at(body, "payload", "account_id")],
    ),
  })),
};
