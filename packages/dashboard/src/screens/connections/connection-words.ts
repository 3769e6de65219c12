import type { Connection, ConnectionState } from "../../data/connections.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import type { SearchWords } from "../../parts/use-address.ts";

const tones: Readonly<Record<ConnectionState, Tone>> = {
  ok: "good",
  refreshing: "run",
  backoff: "warn",
  needs_reauthorization: "bad",
  pending: "idle",
};

export function toneOf(state: ConnectionState): Tone {
  return tones[state];
}

/** Who connected, in the words of who looks for them: name, address, else the ids of the tags. */
export function customerOf({ end_user: endUser, tags }: Connection): string {
  const names = [endUser?.display_name, endUser?.email, tags["end_user_id"]];
  return names.find((name) => name !== undefined && name !== null && name !== "") ?? "";
}

/** Whose account it is at the provider, as people know it; empty where nobody has said. */
export function accountOf({ account, health }: Connection): string {
  return account?.email ?? account?.label ?? health?.account_identity ?? "";
}

const TAG = "tag.";

/** The word of the address for a tag; keys are in lower case, as the server stores them. */
export function wordOfTag(name: string): string {
  return `${TAG}${name.toLowerCase()}`;
}

/** The tags that the address narrows the list to. */
export function tagsOfWords(words: SearchWords): Readonly<Record<string, string>> {
  const entries = Object.entries(words).flatMap(([word, value]) =>
    word.startsWith(TAG) && word.length > TAG.length && value !== undefined && value !== ""
      ? [[word.slice(TAG.length), value]]
      : [],
  );
  return Object.fromEntries(entries);
}

/** Tags that other columns and fields show in words. */
const shownTags: ReadonlySet<string> = new Set([
  ...["end_user_id", "end_user_display_name", "end_user_email"],
  ...["organization_id", "organization_display_name"],
]);

/** The tags that say more than whose connection it is. */
export function otherTagsOf({ tags }: Connection): string[] {
  return toPairLines(
    Object.fromEntries(Object.entries(tags).filter(([name]) => !shownTags.has(name))),
  );
}

/** Whose organization it is, by its name, else by the id that the tag has. */
export function organizationOf({ end_user: endUser, tags }: Connection): string {
  return endUser?.organization?.display_name ?? tags["organization_id"] ?? "";
}

/** Texts by name as lines of `name=value`, as fields of forms have them. */
export function toPairLines(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).map(([name, value]) => `${name}=${value}`);
}

export function pairsOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}

export function pageOf(
  environment: string,
  {
    provider_config_key: integration,
    connection_id: id,
  }: Pick<Connection, "provider_config_key" | "connection_id">,
  tab = "overview",
): Target {
  const parts = [environment, "connections", integration, id, tab].map(encodeURIComponent);
  return { to: `/${parts.join("/")}` };
}
