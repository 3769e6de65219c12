import type { logRoutes, RouteOutput } from "@jackfield/contract";
import { addMs } from "#foundation";
import { splitTiming } from "../call-timing.ts";
import { EXPIRES_AFTER_MS } from "../recording/expire-operations.ts";
import { splitPhases } from "../recording/run-timing.ts";
import type { LoggedMessage, LoggedOperation } from "./logged.ts";

type Operation = RouteOutput<typeof logRoutes.getOperation>["data"];
type Message = RouteOutput<typeof logRoutes.listOperationMessages>["data"][number];
type Named = Operation["connection"];
type NamedIntegration = Operation["integration"];

export function presentOperation(operation: LoggedOperation): Operation {
  const { type, action, createdAt, startedAt, endedAt, meta, ...rest } = operation;
  const durationMs = durationOf(startedAt, endedAt);
  return {
    ...rest,
    ...(type === "proxy"
      ? { phases: null, ...splitTiming(meta, durationMs) }
      : { timing: null, ...splitPhases(meta) }),
    integration: asNamed<NamedIntegration>(operation.integration),
    connection: asNamed<Named>(operation.connection),
    function: asNamed<Named>(operation.function),
    operation: { type, action },
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    expires_at: endedAt === null ? addMs(createdAt, EXPIRES_AFTER_MS).toISOString() : null,
    duration_ms: durationMs,
  };
}

export function presentMessage(message: LoggedMessage): Message {
  const { operationId, durationMs, createdAt, meta, ...rest } = message;
  const { retry, ...others } = meta ?? {};
  const plain = { timing: null, meta: Object.keys(others).length === 0 ? null : others };
  return {
    ...rest,
    parent_id: operationId,
    ...(message.type === "http" ? splitTiming(others, durationMs) : plain),
    retry: typeof retry === "object" && retry !== null ? { ...retry } : null,
    created_at: createdAt.toISOString(),
    ended_at: durationMs === null ? null : addMs(createdAt, durationMs).toISOString(),
    duration_ms: durationMs,
  };
}

function durationOf(startedAt: Date | null, endedAt: Date | null): number | null {
  if (startedAt === null || endedAt === null) return null;
  return Math.max(0, endedAt.getTime() - startedAt.getTime());
}

// Written from an OperationSubject, whose parts have an id and a name.
function asNamed<Shape>(value: Readonly<Record<string, unknown>> | null): Shape {
  return value as Shape;
}
