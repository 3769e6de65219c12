import type { OperationId } from "#foundation";

type Json = Readonly<Record<string, unknown>> | null;

/** An operation as it is stored. */
export interface LoggedOperation {
  readonly id: OperationId;
  readonly type: string;
  readonly action: string;
  readonly state: "waiting" | "running" | "success" | "failed" | "timeout" | "cancelled";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly integration: Json;
  readonly connection: Json;
  readonly function: Json;
  readonly actor: Json;
  readonly request: Json;
  readonly response: Json;
  readonly error: Json;
  readonly meta: Json;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface LoggedMessage {
  readonly id: string;
  readonly operationId: OperationId;
  readonly source: "internal" | "user";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly type: "log" | "http";
  readonly message: string;
  readonly context: string | null;
  readonly request: Json;
  readonly response: Json;
  readonly error: Json;
  readonly meta: Json;
  readonly durationMs: number | null;
  readonly createdAt: Date;
}

/** Which operations are wanted; every part that is there has to hold. */
export interface OperationFilter {
  readonly states?: readonly string[] | undefined;
  readonly levels?: readonly string[] | undefined;
  /** `type` or `type:action`. */
  readonly types?: readonly string[] | undefined;
  /** By name. */
  readonly integrations?: readonly string[] | undefined;
  readonly connections?: readonly string[] | undefined;
  readonly functions?: readonly string[] | undefined;
  /** Ids, or types. */
  readonly actors?: readonly string[] | undefined;
  /** `404`, or a class such as `5xx`. */
  readonly status_codes?: readonly string[] | undefined;
  readonly min_duration_ms?: number | undefined;
  readonly max_duration_ms?: number | undefined;
}

/** A place in a list that is ordered by time and id. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}
