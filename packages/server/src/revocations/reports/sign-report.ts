import { CompactSign } from "jose";
import type { EnvironmentContext } from "#foundation";
import type { Counts, Item, Outcome, Revocation } from "../revocation.ts";
import { presentAnswer } from "./present-answer.ts";
import { getSigningKey } from "./report-key.ts";

export interface ReportedItem
  extends Pick<
    Item,
    "position" | "connectionId" | "integrationKey" | "provider" | "state" | "attempts" | "frozenAt"
  > {
  readonly outcome: Outcome;
  readonly settledAt: Date;
}

/** What was done with one connection, as a JWS in compact form (RFC 7515) that holds no token. */
export async function signItemReport(
  ctx: EnvironmentContext,
  revocation: Pick<Revocation, "id" | "isRehearsal" | "reason">,
  item: ReportedItem,
): Promise<string> {
  return await sign(ctx, revocation, {
    kind: "connection",
    connection: {
      id: item.position,
      connection_id: item.connectionId,
      provider_config_key: item.integrationKey,
      provider: item.provider,
    },
    state: item.state,
    reason_not_withdrawn: item.outcome.reason,
    attempts: item.attempts,
    answers: item.outcome.answers.map(presentAnswer),
    frozen_at: item.frozenAt?.toISOString() ?? null,
    settled_at: item.settledAt.toISOString(),
  });
}

export interface Summary {
  readonly counts: Counts;
  /** SHA-256 over the reports of all connections by their ids, a line feed after each; hexadecimal. */
  readonly reportsSha256: string;
  readonly endedAt: Date;
}

/** What was done in all. */
export async function signSummary(
  ctx: EnvironmentContext,
  revocation: Revocation,
  { counts, reportsSha256, endedAt }: Summary,
): Promise<string> {
  const { touched } = revocation;
  return await sign(ctx, revocation, {
    kind: "summary",
    matched: revocation.matched,
    counts,
    agent_sessions_ended: touched?.agentSessionsEnded ?? 0,
    connect_sessions_ended: touched?.connectSessionsEnded ?? 0,
    reports_sha256: reportsSha256,
    created_at: revocation.createdAt.toISOString(),
    frozen_at: revocation.frozenAt?.toISOString() ?? null,
    ended_at: endedAt.toISOString(),
  });
}

async function sign(
  ctx: EnvironmentContext,
  { id, isRehearsal, reason }: Pick<Revocation, "id" | "isRehearsal" | "reason">,
  facts: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { kid, key } = await getSigningKey(ctx);
  const report = {
    iss: ctx.settings.serverUrl,
    iat: Math.floor(ctx.clock.now().getTime() / 1000),
    environment_id: ctx.environment.id,
    revocation_id: id,
    rehearsal: isRehearsal,
    reason,
    ...facts,
  };
  return await new CompactSign(Buffer.from(JSON.stringify(report)))
    .setProtectedHeader({ alg: "EdDSA", kid, typ: "revocation-report+jws" })
    .sign(key);
}
