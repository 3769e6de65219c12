import type { ConnectLink } from "../../data/environment/connect-links.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Texts } from "../../texts/english.ts";

export const linkTones: Readonly<Record<ConnectLink["state"], Tone>> = {
  open: "good",
  used_up: "idle",
  expired: "idle",
  revoked: "bad",
};

/** Whose connections the link is about, in the words of who looks for them. */
export function ownerOf({ tags }: Pick<ConnectLink, "tags">): string {
  const names = ["end_user_display_name", "end_user_email", "end_user_id", "organization_id"];
  return names.map((name) => tags[name]).find((text) => text !== undefined && text !== "") ?? "";
}

export function integrationsOf(
  { allowed_integrations: keys }: ConnectLink,
  texts: Texts["connectLinks"],
): string {
  return keys === null ? texts.allIntegrations : keys.join(", ");
}

export function makerOf({ created_by: by }: ConnectLink, texts: Texts["connectLinks"]): string {
  return by === null ? "" : (by.name ?? texts.creators[by.kind]);
}
