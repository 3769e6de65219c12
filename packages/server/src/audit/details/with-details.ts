import type { SystemContext } from "#foundation";
import type { AuditDetails } from "../event.ts";
import type { AuditRow } from "../store.ts";
import { joinDetails } from "./split-details.ts";
import { listDetails } from "./store.ts";

/** Events with what of them was not erased. */
export async function withDetails(
  { db }: Pick<SystemContext, "db">,
  rows: readonly AuditRow[],
): Promise<AuditRow[]> {
  const details = await listDetails(
    db,
    rows.map(({ id }) => id),
  );
  const byEvent = Map.groupBy(details, ({ eventId }) => eventId);
  return rows.map((row) => {
    const own = byEvent.get(row.id) ?? [];
    const dataOf = (part: string) => own.find((each) => each.part === part)?.data ?? null;
    const actor = asActor(dataOf("actor"));
    return { ...row, ...joinDetails(row, { actor, subject: asSubject(dataOf("subject")) }) };
  });
}

// Written by `recordAudit` alone, and what was changed since is found by its digest.
function asActor(data: object | null): AuditDetails["actor"] | null {
  return data as AuditDetails["actor"] | null;
}

function asSubject(data: object | null): AuditDetails["subject"] | null {
  return data as AuditDetails["subject"] | null;
}
