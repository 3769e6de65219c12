import type { RouteDefinition } from "@jackfield/contract";
import type { SystemContext } from "../../context.ts";
import type { AtCommit } from "../../db/index.ts";

/** A call of a route, after validation. */
export interface NotedCall {
  readonly name: string;
  readonly route: RouteDefinition;
  readonly input: unknown;
}

/** The row that one call leaves: in its transaction, or after it where it had none. */
export interface AuditNote extends AtCommit {
  finish(): Promise<void>;
}

/** Who keeps account of what is changed. */
export interface AuditTrail {
  /** Undefined for a call that leaves no row. */
  begin(ctx: SystemContext, call: NotedCall): AuditNote | undefined;
}
