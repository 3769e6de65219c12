import type { Proof, Router } from "../match/router.ts";
import {
  bodyOf,
  header,
  hmacProof,
  isRecent,
  joined,
  matches,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

const TIME = "x-zendesk-webhook-signature-timestamp";
const signature = hmacProof({
  header: "x-zendesk-webhook-signature",
  encoding: "base64",
  signed: joined(header(TIME), bodyOf),
});

// The time is written as an instant (RFC 3339), not in seconds.
const proof: Proof = {
  ...signature,
  isGenuine: async (request, secret, tools) =>
    isRecent(Date.parse(request.headers[TIME] ?? "") / 1000, tools.now) &&
    (await signature.isGenuine(request, secret, tools)),
};

/** Source: Zendesk docs, "Verifying webhook authenticity". */
export const zendesk: Router = {
  proof,
  read: singleEvent((body, { headers, query }) => ({
    types: texts(body["type"]),
    id: headers["x-zendesk-webhook-invocation-id"],
    match: matches(
      ["connectionId", query["svcConnectionId"]],
      ["metadata.accountId", body["account_id"] ?? headers["x-zendesk-account-id"]],
    ),
  })),
};
