import type { Router } from "../match/router.ts";
import { hmacProof, idOf, matches, objectsIn, readObject, texts } from "../match/router-kit.ts";

/** "Intent to receive" is an empty list: 200 where the signature holds, 401 elsewhere. Source: Xero docs, "Webhooks". */
export const xero: Router = {
  proof: hmacProof({ header: "x-xero-signature", encoding: "base64", required: true }),
  matchesOn: ["tenant_id"],
  read: (request) =>
    objectsIn(readObject(request)["events"] ?? []).map((payload) => ({
      payload,
      types: texts(payload["eventType"]),
      id: idOf(
        "|",
        payload["tenantId"],
        payload["resourceId"],
        payload["eventType"],
        payload["eventDateUtc"],
      ),
      match: matches(["config.tenant_id", payload["tenantId"]]),
    })),
};
