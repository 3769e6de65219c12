import type { RuntimeMethod } from "@jackfield/contract/runtime";

const READS: ReadonlySet<string> = new Set<RuntimeMethod>([
  "log",
  "getConnection",
  "getEnvironmentVariables",
  "getCheckpoint",
  "getIntegration",
  "getPagination",
  "tryAcquireLock",
  "reportProgress",
  "elicit",
  "noteMoments",
]);

/** Whether a run that made this call may start again from its beginning without doing harm twice. */
export function isRepeatable(method: string, params: unknown): boolean {
  if (method !== "proxy" && method !== "fetch") return READS.has(method);
  if (typeof params !== "object" || params === null || !("method" in params)) return false;
  return typeof params.method === "string" && /^(get|head)$/i.test(params.method);
}
