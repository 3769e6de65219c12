import { subjectOf } from "#connections";
import type { Lease } from "./begin-run.ts";
import type { RunSubject } from "./run-subject.ts";

/** The operation of a run; `subject` undefined: its connection was deleted. */
export function describeRun({ run, sync }: Lease, subject: RunSubject | undefined) {
  return {
    type: "sync",
    action: "run",
    message: `Run of sync "${sync.name}"`,
    ...(subject !== undefined && {
      ...subjectOf(subject.integration, subject.connection),
      function: { id: subject.fn.id, name: subject.fn.name },
    }),
    meta: { runId: run.id, variant: sync.variant, trigger: run.trigger.by },
  } as const;
}
