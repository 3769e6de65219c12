import type { diagnosisRoutes, RouteOutput } from "@jackfield/contract";
import { stageFactsOf } from "#auth-modes";
import { AppError, messageOf } from "#foundation";

export type Diagnosis = RouteOutput<typeof diagnosisRoutes.diagnoseConnection>["data"];
export type CheckName = Diagnosis["checks"][number]["check"];

/** What one check has found, before it is timed. */
export interface Finding {
  readonly check: CheckName;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  readonly nextStep?: string | undefined;
  readonly scopes?: Diagnosis["checks"][number]["scopes"] | undefined;
  /** What the check threw. */
  readonly error?: unknown;
}

export function present(finding: Finding, durationMs: number): Diagnosis["checks"][number] {
  const { check, status, message, nextStep = null, scopes = null, error } = finding;
  return {
    ...{ check, status, message },
    code: error instanceof AppError ? error.code : null,
    next_step: nextStep,
    upstream: stageFactsOf(error)?.upstream ?? null,
    scopes,
    duration_ms: Math.round(durationMs),
  };
}

export function failed(
  check: CheckName,
  error: unknown,
  nextStep: string,
): Finding & { readonly status: "failed" } {
  const message = error instanceof AppError ? messageOf(error) : "The check itself failed.";
  return { check, status: "failed", message, nextStep, error };
}

export function toDiagnosis(
  checks: readonly Diagnosis["checks"][number][],
  host: string | null,
): Diagnosis {
  const worst =
    checks.find(({ status }) => status === "failed") ??
    checks.find(({ status }) => status === "warning");
  const status = worst?.status === "failed" || worst?.status === "warning" ? worst.status : "ok";
  return {
    status,
    cause: worst?.check ?? null,
    next_step: worst?.next_step ?? null,
    host,
    checks: [...checks],
  };
}
