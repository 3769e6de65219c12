import type { Router } from "../match/router.ts";
import { at, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** A notification says which webhook has changes, not what they are. Source: Airtable docs, "Webhooks overview". */
export const airtable: Router = {
  proof: hmacProof({
    header: "x-airtable-content-mac",
    prefix: "hmac-sha256=",
    key: (secret) => Buffer.from(secret, "base64"),
  }),
  read: singleEvent((body) => ({
    types: ["*"],
    match: matches(["metadata.webhooks", texts(at(body, "webhook", "id"))[0]]),
  })),
};
