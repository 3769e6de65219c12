import type { AuditRow } from "./store.ts";

export function presentEvent(row: AuditRow) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor,
    via: row.via,
    action: row.action,
    environment_id: row.environmentId,
    target: { ...row.target },
    fields: { ...row.fields },
    before: row.before && { ...row.before },
    request_id: row.requestId,
    outcome: row.outcome,
    code: row.code,
    sealed: row.sealId !== null,
  };
}

const columns = [
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "actor_name",
  "address",
  "user_agent",
  "via",
  "action",
  "environment_id",
  "target",
  "fields",
  "before",
  "request_id",
  "outcome",
  "code",
] as const;

export const csvHead = `${columns.join(",")}\r\n`;

/** A line of a CSV file (RFC 4180). What a spreadsheet would take for a formula is led by an apostrophe. */
export function toCsvLine(row: AuditRow): string {
  const { actor } = row;
  const cells = [
    ...[row.id, row.at.toISOString(), actor.kind, actor.id, actor.name, actor.address],
    ...[actor.user_agent, row.via, row.action, row.environmentId],
    ...[
      JSON.stringify(row.target),
      JSON.stringify(row.fields),
      row.before && JSON.stringify(row.before),
    ],
    ...[row.requestId, row.outcome, row.code],
  ];
  return `${cells.map(toCell).join(",")}\r\n`;
}

function toCell(value: string | null): string {
  if (value === null) return "";
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
