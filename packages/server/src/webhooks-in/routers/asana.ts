import type { Router } from "../match/router.ts";
import {
  connectionSecret,
  hmacProof,
  namedConnection,
  singleEvent,
  texts,
  textsIn,
} from "../match/router-kit.ts";

/**
 * The first request brings the secret, which has to be echoed; it is kept with the connection that the
 * address names. Source: Asana docs, "Webhooks guide".
 */
export const asana: Router = {
  secretHolder: (request) => namedConnection(request)[0],
  proof: hmacProof({ header: "x-hook-signature", secret: connectionSecret }),
  handshake: (request) => {
    const secret = request.headers["x-hook-secret"];
    if (secret === undefined) return undefined;
    const connection = namedConnection(request)[0]?.value;
    return {
      status: 200,
      headers: { "x-hook-secret": secret },
      body: "",
      ...(connection !== undefined && {
        remember: { connectionId: connection, secret },
      }),
    };
  },
  read: singleEvent((body, request) => ({
    types: textsIn([body["events"]].flat(), typeOf),
    match: namedConnection(request),
  })),
};

/** `task.changed` and the like. */
function typeOf(event: unknown): string | undefined {
  if (typeof event !== "object" || event === null || !("action" in event)) return undefined;
  const resource = "resource" in event ? event.resource : undefined;
  const kind =
    typeof resource === "object" && resource !== null && "resource_type" in resource
      ? texts(resource.resource_type)[0]
      : undefined;
  return [kind, ...texts(event.action)].filter(Boolean).join(".");
}
