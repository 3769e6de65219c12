import { hash } from "node:crypto";
import type { RouteDefinition } from "@jackfield/contract";
import {
  type Actor,
  type EnvironmentContext,
  type SystemContext,
  serverState,
  WindowCounts,
} from "#foundation";
import type { Db } from "#foundation/db";
import type { AuditTrail, NotedCall } from "#foundation/http";
import { lookupHash } from "#vault";
import { isAudited } from "./audited-routes.ts";
import type { AuditActor, AuditEvent } from "./event.ts";
import { recordAudit } from "./record-audit.ts";

type Caller = SystemContext & Partial<Pick<EnvironmentContext, "environment">>;

const LONGEST_TEXT = 255;
const MOST_FIELDS = 50;
/** Characters of JSON. */
const LONGEST_HASHED = 65_536;

/** Harmless, so that they are shown as they were sent. */
const shown = new Set([
  "adds_users",
  "allowed_domains",
  "default_grants",
  "disabled",
  "display_name",
  "email",
  "enabled",
  "expires_at",
  "field",
  "frequency",
  "grants",
  "group_claim",
  "group_grants",
  "is_production",
  "is_required",
  "name",
  "provider",
  "rate_limit_per_minute",
  "role",
  "scopes",
  "second_factor_roles",
]);

/** Of these not even a hash is kept: people choose them. */
const withheld = new Set(["code", "passkey", "password", "token"]);

/** Names of things, under which a body says what it is about. */
const targets = new Set([
  "connection_id",
  "environment_id",
  "integration_id",
  "key_id",
  "name",
  "provider_config_key",
  "sync_id",
  "unique_key",
]);

/** Parameters of a path that name a person: hashed, so that the log need not be changed when the person is erased. */
const persons = new Set(["endUserId"]);

/** Leaves a row for every call that changes something, in the transaction that changes it. */
export const auditTrail: AuditTrail = {
  begin(ctx: Caller, call: NotedCall) {
    if (!isAudited(call.name, call.route)) return undefined;
    let written = false;
    let before: Readonly<Record<string, unknown>> | undefined;
    const write = async (db: Db) => {
      if (written) return;
      written = true;
      await recordAudit({ ...ctx, db }, await describe(ctx, call, before));
    };
    return {
      beforeCommit: write,
      noteBefore: (values) => {
        before = { ...before, ...values };
      },
      undone: () => {
        written = false;
        before = undefined;
      },
      finish: async () => await write(ctx.db),
    };
  },
};

async function describe(
  ctx: Caller,
  call: NotedCall,
  before: Readonly<Record<string, unknown>> | undefined,
): Promise<Omit<AuditEvent, "id" | "at">> {
  const { params, query, body } = Object(call.input);
  const sent: Record<string, unknown> = { ...Object(query), ...Object(body) };
  return {
    ...callerOf(ctx),
    action: call.name,
    target: await toTarget(ctx, { ...sent, ...Object(params) }, Object.keys(Object(params))),
    fields: await toFields(ctx, sent),
    before: before === undefined ? null : await toFields(ctx, changedOf(call, sent, before)),
    outcome: "done",
    code: null,
  };
}

/** What a change was sent for; of what is deleted, all. */
function changedOf(
  { route }: NotedCall,
  sent: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(before).filter(([, value]) => value !== undefined);
  if (route.method === "DELETE") return Object.fromEntries(entries);
  return Object.fromEntries(entries.filter(([name]) => sent[name] !== undefined));
}

/** Who acts, where, and how they have proved who they are. */
export function callerOf(ctx: Caller) {
  const { actor, environment } = ctx;
  const hasAccount = actor.kind === "key" || actor.kind === "user";
  return {
    accountId: environment?.accountId ?? (hasAccount ? actor.accountId : null),
    environmentId: environment?.id ?? null,
    actor: toAuditActor(ctx, actor),
    via: viaOf(actor),
    requestId: ctx.origin?.requestId ?? null,
  };
}

function viaOf(actor: Actor): AuditEvent["via"] {
  if (actor.kind === "key") return "key";
  return actor.kind === "user" ? "session" : "system";
}

function toAuditActor({ origin }: SystemContext, actor: Actor): AuditActor {
  return {
    kind: actor.kind,
    id: actor.kind === "key" ? actor.keyId : actor.kind === "user" ? actor.userId : null,
    name:
      actor.kind === "key"
        ? (actor.keyName ?? null)
        : actor.kind === "user"
          ? actor.userName
          : null,
    address: origin?.address ?? null,
    user_agent: origin?.userAgent?.slice(0, LONGEST_TEXT) ?? null,
  };
}

async function toTarget(
  ctx: SystemContext,
  sent: Readonly<Record<string, unknown>>,
  inPath: readonly string[],
): Promise<Record<string, string>> {
  const target: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== "string" || !(inPath.includes(name) || targets.has(name))) continue;
    target[snakeCase(name)] = persons.has(name)
      ? await hashOf(ctx, name, value)
      : value.slice(0, LONGEST_TEXT);
  }
  return target;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function toFields(
  ctx: SystemContext,
  sent: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent).slice(0, MOST_FIELDS)) {
    if (value === undefined) continue;
    fields[name.slice(0, LONGEST_TEXT)] = withheld.has(name)
      ? "…"
      : shown.has(name)
        ? toText(value).slice(0, LONGEST_TEXT)
        : await hashOf(ctx, name, value);
  }
  return fields;
}

/**
 * Keyed, so that who reads the log cannot find a value by trying; hashed without the key first. A long one, such as the
 * code of a deployment, would hold up the process: of that only the length is known.
 */
async function hashOf(ctx: SystemContext, name: string, value: unknown): Promise<string> {
  if (!isShort(value)) return describeLong(value);
  const digest = hash("sha256", toText(value), "hex");
  const keyed = await lookupHash(ctx, "audit_field", JSON.stringify([name, digest]));
  return `#${keyed.toString("hex").slice(0, 16)}`;
}

function describeLong(value: unknown): string {
  if (typeof value === "string") return `${value.length} characters`;
  return Array.isArray(value)
    ? `${value.length} items`
    : `${Object.keys(Object(value)).length} fields`;
}

/** Whether its JSON has about 64 KiB at most; looks at no more than that. */
function isShort(value: unknown): boolean {
  let left = LONGEST_HASHED;
  const open = [value];
  while (open.length > 0 && left >= 0) {
    const next = open.pop();
    left -= typeof next === "string" ? next.length + 2 : 8;
    if (typeof next !== "object" || next === null) continue;
    for (const name in next) {
      left -= name.length;
      if (left < 0) return false;
      open.push(Reflect.get(next, name));
    }
  }
  return left >= 0;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const MOST_REFUSALS_PER_MINUTE = 100;

const refusals = serverState(() => new WindowCounts());

/** Leaves a row for a call that its caller may not make; the first 100 of an account in a minute. */
export async function recordRefusal(
  ctx: Caller,
  {
    name,
    route,
    code,
    params,
  }: { name: string; route: RouteDefinition; code: string; params: unknown },
): Promise<void> {
  const caller = callerOf(ctx);
  const limit = { clock: ctx.clock, most: MOST_REFUSALS_PER_MINUTE };
  if (!refusals.of(ctx).admit(caller.accountId ?? "", limit)) return;
  await recordAudit(ctx, {
    ...caller,
    action: name,
    target: await toTarget(
      ctx,
      { method: route.method, ...Object(params) },
      Object.keys(Object(params)),
    ),
    fields: {},
    before: null,
    outcome: "refused",
    code,
  });
}
