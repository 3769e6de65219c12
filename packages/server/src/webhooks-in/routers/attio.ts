import type { InboundRequest, Router } from "../match/router.ts";
import { at, hmacProof, matches, objectsIn, readObject, texts } from "../match/router-kit.ts";

const current = hmacProof({ header: "attio-signature" });
const older = hmacProof({ header: "x-attio-signature" });
const proofOf = (request: InboundRequest) => (current.isSigned(request) ? current : older);

/** Source: Attio docs, "Webhooks". */
export const attio: Router = {
  matchesOn: ["workspace_id"],
  proof: {
    secret: current.secret,
    isSigned: (request) => proofOf(request).isSigned(request),
    isGenuine: (request, secret, tools) => proofOf(request).isGenuine(request, secret, tools),
  },
  read: (request) =>
    objectsIn(readObject(request)["events"] ?? []).map((payload, position) => ({
      payload,
      types: texts(payload["event_type"]),
      id: request.headers["idempotency-key"] && `${request.headers["idempotency-key"]}:${position}`,
      match: matches(["config.workspace_id", at(payload, "id", "workspace_id")]),
    })),
};
