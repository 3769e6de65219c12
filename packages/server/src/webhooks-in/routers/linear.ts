import type { Proof, Router } from "../match/router.ts";
import {
  hmacProof,
  isRecent,
  matches,
  readObject,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

const TOLERANCE_MS = 60_000;
const signature = hmacProof({ header: "linear-signature", required: true });

// The time is in the body, which the signature covers.
const proof: Proof = {
  ...signature,
  isGenuine: async (request, secret, tools) => {
    if (!(await signature.isGenuine(request, secret, tools))) return false;
    const { webhookTimestamp } = readObject(request);
    return (
      webhookTimestamp === undefined ||
      isRecent(Number(webhookTimestamp) / 1000, tools.now, TOLERANCE_MS)
    );
  },
};

/** Source: Linear docs, "Webhooks". */
export const linear: Router = {
  proof,
  matchesOn: ["organizationId"],
  read: singleEvent((body, { headers }) => ({
    types: texts(body["type"]),
    id: headers["linear-delivery"],
    match: matches(["config.organizationId", body["organizationId"]]),
  })),
};
