import type { Router } from "../match/router.ts";
import { at, eitherSecret, hmacProof, matches, singleEvent, texts } from "../match/router-kit.ts";

/** Source: Sentry docs, "Webhooks" of the integration platform. */
export const sentry: Router = {
  proof: hmacProof({ header: "sentry-hook-signature", secret: eitherSecret }),
  matchesOn: ["installation_id", "installationId"],
  read: singleEvent((body, { headers }) => {
    const [id] = texts(at(body, "installation", "uuid"), at(body, "installation", "id"));
    const created = at(body, "data", "installation");
    const isNew =
      headers["sentry-hook-resource"] === "installation" && body["action"] === "created";
    const [code] = texts(at(created, "code"));
    const [orgSlug] = texts(at(created, "organization", "slug"));
    return {
      types: texts(body["action"], headers["sentry-hook-resource"]),
      id: headers["request-id"],
      match: matches(["config.installation_id", id], ["config.installationId", id]),
      completes:
        isNew && id !== undefined && orgSlug !== undefined
          ? {
              config: { orgSlug },
              params: { installation_id: id, ...(code !== undefined && { code }) },
            }
          : undefined,
    };
  }),
};
