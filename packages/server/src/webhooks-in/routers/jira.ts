import type { InboundRequest, Proof, Router, WebhookKeys } from "../match/router.ts";
import { at, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";
import { isAtlassianToken } from "../receive/atlassian-token.ts";

/** Parts of an event that carry a `self` address, the most telling first. */
const HOLDERS = ["issue", "comment", "project", "user", "version", "worklog", "sprint", "board"];

function originOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const addresses = HOLDERS.map((name) => at(body, name, "self"));
  const address = texts(...addresses, body["self"])[0];
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}

const signature = hmacProof({ header: "x-hub-signature", prefix: "sha256=" });

/** OAuth apps name the token a bearer, Connect apps a jwt; however badly formed, it claims to be a proof. */
function tokenIn({ headers }: InboundRequest): { kind: string; token: string } | undefined {
  const [, kind, token] = /^(bearer|jwt)\b(.*)$/is.exec(headers["authorization"] ?? "") ?? [];
  return kind === undefined
    ? undefined
    : { kind: kind.toLowerCase(), token: (token ?? "").trimStart() };
}

/** Of an administrator's webhook its own; of an app's the client's, for Connect the secret shared at the installation. */
function secretOf(
  { webhookSecret, clientSecret }: WebhookKeys,
  request: InboundRequest,
): string | undefined {
  const kind = tokenIn(request)?.kind;
  if (signature.isSigned(request) || kind === undefined) return webhookSecret;
  return kind === "bearer" ? (clientSecret ?? webhookSecret) : (webhookSecret ?? clientSecret);
}

const proof: Proof = {
  secret: secretOf,
  isSigned: (request) => signature.isSigned(request) || tokenIn(request) !== undefined,
  isGenuine: async (request, secret, tools) => {
    if (signature.isSigned(request)) return await signature.isGenuine(request, secret, tools);
    const token = tokenIn(request)?.token ?? "";
    return await isAtlassianToken(token, secret, { request, now: tools.now });
  },
};

/** Source: Atlassian docs, "Webhooks" of Jira Cloud. */
export const jira: Router = {
  proof,
  matchesOn: ["baseUrl"],
  read: singleEvent((body, { headers }) => ({
    types: texts(body["webhookEvent"]),
    id: headers["x-atlassian-webhook-identifier"],
    match: matches(["config.baseUrl", originOf(body)]),
  })),
};
