import { createPublicKey, verify } from "node:crypto";
import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts, webhookSecret } from "../match/router-kit.ts";

/** The vendor signs with either key; since July 2026 with the first alone. */
const SCHEMES: Readonly<Record<string, { readonly header: string; readonly digest?: string }>> = {
  ed25519: { header: "x-ghl-signature" },
  rsa: { header: "x-wh-signature", digest: "sha256" },
};

/**
 * One of the vendor's public keys (PEM) is in `webhook_secret`; its kind says which signature is looked at.
 * Source: HighLevel docs, "Webhook Integration Guide".
 */
export const highlevel: Router = {
  matchesOn: ["locationId", "companyId"],
  proof: {
    secret: webhookSecret,
    isSigned: ({ headers }) => Object.values(SCHEMES).some(({ header }) => header in headers),
    isGenuine: ({ headers, body }, secret) => {
      const key = createPublicKey(secret);
      const scheme = SCHEMES[key.asymmetricKeyType ?? ""];
      if (scheme === undefined) return false;
      const given = headers[scheme.header] ?? "";
      const signature = Buffer.from(given, "base64");
      if (signature.toString("base64") !== given) return false;
      return verify(scheme.digest ?? null, body, key, signature);
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
