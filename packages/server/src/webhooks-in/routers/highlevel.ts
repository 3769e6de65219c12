import { createPublicKey, verify } from "node:crypto";
import type { Router } from "../router.ts";
import { matches, singleEvent, texts, webhookSecret } from "../router-kit.ts";

/** The vendor's public key (PEM) stands in `webhook_secret`. Source: HighLevel docs, "Webhook authentication". */
export const highlevel: Router = {
  matchesOn: ["locationId", "companyId"],
  proof: {
    secret: webhookSecret,
    isSigned: ({ headers }) => "x-wh-signature" in headers,
    isGenuine: ({ headers, body }, secret) => {
      const given = headers["x-wh-signature"] ?? "";
      const signature = Buffer.from(given, "base64");
      if (signature.toString("base64") !== given) return false;
      return verify("sha256", body, createPublicKey(secret), signature);
    },
  },
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    id: texts(body["webhookId"])[0],
    match: matches(
      ["config.locationId", body["locationId"]],
      ["config.companyId", body["companyId"]],
    ),
  })),
};
