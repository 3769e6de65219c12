import type { Router } from "../match/router.ts";
import { hmacProof, idOf, matches, singleEvent, texts } from "../match/router-kit.ts";

export const ticketing: Router = {
  proof: hmacProof({
    header: "x-hook-signature",
    algorithm: "sha1",
    encoding: "base64",
    prefix: "sha1=",
    required: true,
  }),
  matchesOn: ["webhookGuid"],
  read: singleEvent((body) => ({
    types: texts(body["EntityType"]),
    id: idOf("-", body["Guid"], body["SequenceNumber"]),
    match: matches(["config.webhookGuid", body["Guid"]]),
  })),
};
