import type { Connection, ConnectionState } from "../../data/connections.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";

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
