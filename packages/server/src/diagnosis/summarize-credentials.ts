import type { diagnosisRoutes } from "@jackfield/contract";
import type * as z from "zod";
import {
  type Connection,
  type ConnectionForCall,
  getHealthOf,
  openConnectionCredentials,
  openWebhookSecret,
} from "#connections";
import type { EnvironmentContext } from "#foundation";
import { listFunctions } from "#functions";
import type { Integration } from "#integrations";
import { listAskedScopes } from "./check-token.ts";

type Summary = z.input<
  (typeof diagnosisRoutes)["getCredentialSummary"]["success"]["schema"]
>["data"];
type WantedScope = Summary["scopes"]["wanted"][number];

/** What a connection's credentials consist of and allow; nothing is refreshed for it, and no value is in it. */
export async function summarizeCredentials(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
): Promise<Summary> {
  const health = await getHealthOf(ctx, connection);
  const { scopes_granted: granted } = health;
  const wanted = await listWantedScopes(ctx, { integration, connection }, granted);
  return {
    type: connection.authMode,
    version: connection.credentialVersion,
    issued_at: health.last_refreshed_at,
    expires_at: health.expires_at,
    fields: await listFields(ctx, connection),
    scopes: {
      granted,
      wanted,
      missing: wanted.flatMap(({ scope, is_granted }) => (is_granted === false ? [scope] : [])),
    },
  };
}

/** What the summary says next to the fields. */
const said: ReadonlySet<string> = new Set(["type", "expires_at"]);
const revealable = /^[a-z][a-zA-Z0-9_]{0,99}$/;

async function listFields(ctx: EnvironmentContext, connection: Connection): Promise<string[]> {
  const credentials = await openConnectionCredentials(ctx, connection);
  const names = Object.keys(credentials).filter(
    (name) => !said.has(name) && revealable.test(name) && hasValue(credentials[name]),
  );
  const secret = await openWebhookSecret(ctx, connection);
  return secret === undefined ? names : [...names, "webhook_secret"];
}

function hasValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return typeof value === "string" && value !== "";
}

async function listWantedScopes(
  ctx: EnvironmentContext,
  named: ConnectionForCall,
  granted: readonly string[] | null,
): Promise<WantedScope[]> {
  const asked = await listAskedScopes(ctx, named);
  const byScope = await listNeededScopes(ctx, named.integration);
  const all = new Set([...asked, ...[...byScope.keys()].toSorted()]);
  return [...all].map((scope) => ({
    scope,
    by_integration: asked.includes(scope),
    functions: [...(byScope.get(scope) ?? [])].toSorted(),
    is_granted: granted?.includes(scope) ?? null,
  }));
}

/** The functions that need each scope. */
async function listNeededScopes(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const deployed = [
    ...(await listFunctions(ctx, { integration, type: "sync" })),
    ...(await listFunctions(ctx, { integration, type: "action" })),
  ];
  const needed = new Map<string, Set<string>>();
  for (const { name, enabled, definition } of deployed) {
    if (!enabled) continue;
    for (const scope of definition.scopes) {
      needed.set(scope, (needed.get(scope) ?? new Set()).add(name));
    }
  }
  return needed;
}
