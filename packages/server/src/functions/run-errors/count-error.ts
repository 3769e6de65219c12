import type { RunError } from "@jackfield/contract/runtime";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  type OperationId,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import {
  addErrors,
  addMismatches,
  deleteFindings,
  type ErrorCount,
  type MismatchCount,
} from "./store.ts";
import { topPlace } from "./top-place.ts";

const KEPT_MS = 2 * DAY;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

interface Counted {
  readonly count: number;
  readonly firstAt: string;
}

function sum<Count extends Counted>(known: Count, later: Count): Count {
  return { ...later, count: known.count + later.count, firstAt: known.firstAt };
}

class Findings {
  readonly errors: CountBuffer<ErrorCount>;
  readonly mismatches: CountBuffer<MismatchCount>;

  constructor({ log }: Pick<EnvironmentContext, "log">) {
    this.errors = new CountBuffer<ErrorCount>({
      log,
      keyOf: ({ functionId, code, place }) => `${functionId} ${code} ${place}`,
      add: sum,
      write: addErrors,
      restOf: (count) => ({ ...count, ...others }),
      delayed: "functions.errors_delayed",
    });
    this.mismatches = new CountBuffer<MismatchCount>({
      log,
      keyOf: ({ functionId, what }) => `${functionId} ${what}`,
      add: sum,
      write: addMismatches,
      delayed: "functions.mismatches_delayed",
    });
  }
}

const findings = serverState((ctx: Pick<EnvironmentContext, "log">) => new Findings(ctx));

/** A function chooses the types of its errors: what is no type, and what is one too many, is counted together. */
const others = { code: "other", place: "" } as const;
const codePattern = /^[a-zA-Z][\w.-]{0,99}$/;

interface Finding {
  readonly functionId: number;
  readonly operationId: OperationId;
}

function toCount(ctx: EnvironmentContext, { functionId, operationId }: Finding) {
  const at = ctx.clock.now().toISOString();
  const environmentId = ctx.environment.id;
  return { environmentId, functionId, count: 1, firstAt: at, lastAt: at, operationId };
}

/** Counts an error, whose stack is in the author's files, under its type and place; nothing is written yet. */
export function countError(
  ctx: EnvironmentContext,
  { error, ...run }: Finding & { error: RunError },
): void {
  const code = codePattern.test(error.type) ? error.type : others.code;
  findings.of(ctx).errors.add(ctx.db, { ...toCount(ctx, run), code, place: topPlace(error.stack) });
}

/** Counts values that did not match a schema of the function, where this was only told. */
export function countMismatch(
  ctx: EnvironmentContext,
  { what, ...run }: Finding & { what: string },
): void {
  findings.of(ctx).mismatches.add(ctx.db, { ...toCount(ctx, run), what });
}

/** Writes what was counted; called at shutdown. */
export async function flushFindings(ctx: Owner): Promise<void> {
  const { errors, mismatches } = findings.of(ctx);
  await Promise.all([errors.flush(), mismatches.flush()]);
}

/** Called every day. */
export async function deleteOldFindings(ctx: SystemContext): Promise<void> {
  await deleteFindings(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}
