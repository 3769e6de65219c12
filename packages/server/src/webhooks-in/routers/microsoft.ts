import type { Router } from "../match/router.ts";
import {
  isSame,
  matches,
  objectsIn,
  readObject,
  textOf,
  texts,
  webhookSecret,
} from "../match/router-kit.ts";

/** Every notification of a request has to carry the secret. Source: Microsoft Graph docs, "Change notifications". */
export const microsoft: Router = {
  matchesOn: ["tenantId"],
  proof: {
    secret: webhookSecret,
    isSigned: (request) => objectsIn(readObject(request)["value"] ?? []).length > 0,
    isGenuine: (request, secret) =>
      objectsIn(readObject(request)["value"] ?? []).every(({ clientState }) =>
        isSame(secret, textOf(clientState) ?? ""),
      ),
  },
  handshake: ({ query }) => {
    const token = query["validationToken"];
    return token === undefined
      ? undefined
      : { status: 200, contentType: "text/plain", body: token };
  },
  read: (request) =>
    objectsIn(readObject(request)["value"] ?? []).map((payload) => ({
      payload,
      types: texts(payload["changeType"], payload["lifecycleEvent"]),
      id: textOf(payload["id"]),
      match: matches(
        ["metadata.subscriptionIds", payload["subscriptionId"]],
        ["config.tenantId", payload["tenantId"]],
      ),
    })),
};
