import type { Issue, Run, ValueSchema } from "./run.ts";
import { RunFailure } from "./run-failure.ts";
import { type Mismatch, sendLog } from "./write-log.ts";

const SHOWN_ISSUES = 5;
const KEPT_ISSUES = 50;

/**
 * Checks a value against the author's schema as the environment wants it: not at all, with a warning in the log,
 * or with a failure of the given type. The value itself never changes.
 */
export async function checkValue(
  run: Run,
  input: {
    what: Mismatch["what"];
    label: string;
    schema: ValueSchema | undefined;
    value: unknown;
    failureType?: string;
  },
): Promise<void> {
  const mode = run.facts.validation[input.what];
  if (mode === "off" || input.schema === undefined) return;
  const issues = await findIssues(input.schema, input.value);
  if (issues.length === 0) return;
  const message = `${input.label} does not match its schema: ${describeIssues(issues)}`;
  const validation = issues.slice(0, KEPT_ISSUES).map(presentIssue);
  if (mode === "warn") {
    const mismatch = { what: input.what };
    await sendLog(run, { level: "warn", message, meta: { validation }, mismatch });
    return;
  }
  const type = input.failureType ?? "script_internal_error";
  throw new RunFailure({ type, message, payload: { validation } });
}

/** Schemas with asynchronous refinements throw from safeParse, so those are parsed again the other way. */
export async function findIssues(schema: ValueSchema, value: unknown): Promise<readonly Issue[]> {
  const result = parseNow(schema, value) ?? (await schema.safeParseAsync(value));
  return result.success ? [] : (result.error?.issues ?? []);
}

function parseNow(schema: ValueSchema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch {
    return undefined;
  }
}

export function describeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, SHOWN_ISSUES).map((issue) => {
    const path = issue.path.map(String).join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
  const more = issues.length - shown.length;
  return more > 0 ? `${shown.join("; ")}; and ${more} more` : shown.join("; ");
}

function presentIssue(issue: Issue): Record<string, unknown> {
  return { path: issue.path.map(String), message: issue.message, code: issue.code };
}
