import type { Router } from "../router.ts";
import { at, hmacProof, matches, singleEvent, texts } from "../router-kit.ts";

/** Parts of an event that carry a `self` address, the most telling first. */
const HOLDERS = ["issue", "comment", "project", "user", "version", "worklog", "sprint", "board"];

function originOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const addresses = HOLDERS.map((name) => at(body, name, "self"));
  const address = texts(...addresses, body["self"])[0];
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}

/** Source: Atlassian docs, "Webhooks" of Jira Cloud. */
export const jira: Router = {
  proof: hmacProof({ header: "x-hub-signature", prefix: "sha256=" }),
  matchesOn: ["baseUrl"],
  read: singleEvent((body, { headers }) => ({
    types: texts(body["webhookEvent"]),
    id: headers["x-atlassian-webhook-identifier"],
    match: matches(["config.baseUrl", originOf(body)]),
  })),
};
