import type { Router } from "../router.ts";
import {
  connectionSecret,
  isSame,
  namedConnection,
  singleEvent,
  standardProof,
  texts,
} from "../router-kit.ts";

const signed = standardProof(connectionSecret);

/** A signature where the server is new enough, else the token as it was entered. Source: GitLab docs, "Webhooks". */
export const gitlab: Router = {
  secretHolder: (request) => namedConnection(request)[0],
  proof: {
    secret: (keys) => connectionSecret(keys) ?? keys.webhookSecret,
    isSigned: (request) => signed.isSigned(request) || "x-gitlab-token" in request.headers,
    isGenuine: async (request, secret, tools) =>
      signed.isSigned(request)
        ? await signed.isGenuine(request, secret, tools)
        : isSame(secret, request.headers["x-gitlab-token"] ?? ""),
  },
  read: singleEvent((body, request) => ({
    types: texts(request.headers["x-gitlab-event"], body["object_kind"]),
    id: request.headers["idempotency-key"] ?? request.headers["x-gitlab-event-uuid"],
    match: namedConnection(request, body),
  })),
};
