import type { Router } from "../router.ts";
import { hmacProof, matches, singleEvent, textOf, texts } from "../router-kit.ts";

/** Source: platform specification, Auth 9 and "Connection matching", ticketing provider. */
export const ticketing: Router = {
  proof: hmacProof({
    header: "x-hook-signature",
    algorithm: "sha1",
    encoding: "base64",
    prefix: "sha1=",
    required: true,
  }),
  matchesOn: ["webhookGuid"],
  read: singleEvent((body) => {
    const [guid, number] = [textOf(body["Guid"]), textOf(body["SequenceNumber"])];
    return {
      types: texts(body["EntityType"]),
      id: guid && number && `${guid}-${number}`,
      match: matches(["config.webhookGuid", guid]),
    };
  }),
};
