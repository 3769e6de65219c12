import { createHash } from "node:crypto";
import { readForm } from "../match/body-shape.ts";
import type { Router, WebhookKeys } from "../match/router.ts";
import { at, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Apps without a secret of their own sign with one that is derived from the app. */
function githubSecret({ webhookSecret, app }: WebhookKeys): string | undefined {
  if (webhookSecret !== undefined || app === undefined) return webhookSecret;
  return createHash("sha256").update(`${app.id}${app.privateKey}${app.link}`).digest("hex");
}

/** Source: GitHub docs, "Validating webhook deliveries", "Webhook events and payloads". */
export const github: Router = {
  proof: hmacProof({ header: "x-hub-signature-256", prefix: "sha256=", secret: githubSecret }),
  matchesOn: ["installation_id"],
  read: (request) => {
    // The form content type carries the same JSON as a field.
    const type = request.headers["content-type"] ?? "";
    const payload = type.startsWith("application/x-www-form-urlencoded")
      ? {
          ...request,
          body: Buffer.from(readForm(request.body).get("payload") ?? ""),
        }
      : request;
    return readEvent(payload);
  },
};

const readEvent = singleEvent((body, { headers }) => {
  const installation = at(body, "installation", "id");
  const isNew = headers["x-github-event"] === "installation" && body["action"] === "created";
  const login = texts(at(body, "requester", "login"), at(body, "sender", "login"))[0];
  return {
    types: texts(headers["x-github-event"]),
    id: headers["x-github-delivery"],
    match: matches(["config.installation_id", installation]),
    completes:
      isNew && login !== undefined
        ? { config: { login }, params: { installation_id: String(installation) } }
        : undefined,
  };
});
