import type { InboundRequest, Match, Router } from "../match/router.ts";
import {
  connectionSecret,
  isSame,
  namedConnection,
  readObject,
  singleEvent,
  standardProof,
  texts,
} from "../match/router-kit.ts";

const signed = standardProof(connectionSecret);

/** Whose event it is says also whose secret counts, so both look at the same places. */
function connectionOf(request: InboundRequest): Match[] {
  return namedConnection(request, request.body.byteLength === 0 ? {} : readObject(request));
}

/** A signature where the server is new enough, else the token as it was entered. Source: GitLab docs, "Webhooks". */
export const gitlab: Router = {
  secretHolder: (request) => connectionOf(request)[0],
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
    // Not `x-gitlab-event-uuid`: events that one event sets off share it.
    id: request.headers["idempotency-key"],
    match: connectionOf(request),
  })),
};
