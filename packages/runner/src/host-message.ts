import type { RunError, RunFacts, ToChild } from "@jackfield/contract/runtime";

/**
 * Reads a message of the host. The host is trusted and its messages are typed by the contract, so only what
 * routing depends on is looked at: a full check would bring a schema library into each child.
 */
export function readHostMessage(head: unknown): ToChild {
  const fields = requireObject(head);
  switch (fields["op"]) {
    case "load":
      return { op: "load", filename: requireText(fields, "filename") };
    case "run":
      return { op: "run", runId: requireText(fields, "runId"), facts: toRunFacts(fields["facts"]) };
    case "result":
      return {
        op: "result",
        callId: requireText(fields, "callId"),
        value: fields["value"],
        ...momentOf(fields),
      };
    case "failure":
      return {
        op: "failure",
        callId: requireText(fields, "callId"),
        error: toRunError(fields["error"]),
        ...momentOf(fields),
      };
    case "clean":
      return { op: "clean" };
    case "ping":
      return { op: "ping" };
    case "cancel":
      return { op: "cancel", runId: requireText(fields, "runId") };
    default:
      throw new TypeError(`unknown message ${JSON.stringify(fields["op"])}`);
  }
}

function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new TypeError("a message must be an object");
}

function momentOf({ moment }: Record<string, unknown>): { moment?: string } {
  return typeof moment === "string" ? { moment } : {};
}

function requireText(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw new TypeError(`a message's ${name} must be text`);
}

/** The host made these facts with the contract's type. */
function toRunFacts(value: unknown): RunFacts {
  return requireObject(value) as RunFacts;
}

/** The host made this error with the contract's type. */
function toRunError(value: unknown): RunError {
  return requireObject(value) as RunError;
}
