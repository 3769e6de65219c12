import type { RouteOutput, revocationRoutes } from "@jackfield/contract";
import { presentAnswer } from "./reports/present-answer.ts";
import type { Counts, Item, Revocation, Toucher } from "./revocation.ts";

type Routes = typeof revocationRoutes;

export function presentRevocation(
  revocation: Revocation,
  counts: Counts,
): RouteOutput<Routes["getRevocation"]>["data"] {
  const { id, environmentId, isRehearsal, reason, matched, touched, summary } = revocation;
  const { integrationId: _, ...match } = revocation.match;
  return {
    ...{ id, environment_id: environmentId, rehearsal: isRehearsal, state: stateOf(revocation) },
    ...{ match: { ...match, tags: match.tags && { ...match.tags } }, reason, matched, counts },
    touched:
      touched === null
        ? null
        : {
            keys: touched.keys.map(presentToucher),
            agent_sessions: touched.agentSessions.map(presentToucher),
            agent_sessions_ended: touched.agentSessionsEnded,
            connect_sessions_ended: touched.connectSessionsEnded,
          },
    report: summary,
    created_at: revocation.createdAt.toISOString(),
    frozen_at: revocation.frozenAt?.toISOString() ?? null,
    ended_at: revocation.endedAt?.toISOString() ?? null,
  };
}

function stateOf({ passesLeft, endedAt }: Revocation) {
  if (endedAt !== null) return "done";
  return passesLeft > 0 ? "freezing" : "withdrawing";
}

function presentToucher({ id, connections, lastUsedAt }: Toucher) {
  return { id, connections, last_used_at: lastUsedAt };
}

export function presentItem(
  item: Item,
): RouteOutput<Routes["listRevokedConnections"]>["data"][number] {
  const { state, outcome, attempts, dueAt, report } = item;
  return {
    ...{ id: item.position, connection_id: item.connectionId },
    ...{ provider_config_key: item.integrationKey, provider: item.provider },
    ...{ state, reason: outcome?.reason ?? null, attempts },
    next_attempt_at: dueAt?.toISOString() ?? null,
    answers: outcome?.answers.map(presentAnswer) ?? [],
    frozen_at: item.frozenAt?.toISOString() ?? null,
    settled_at: item.settledAt?.toISOString() ?? null,
    report,
  };
}
