import type { AuthMode } from "#auth-modes";
import type { OperationId } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection, RefreshProblem } from "../connection.ts";
import type { Attempt } from "./store.ts";

export interface AttemptInput extends RenewInput {
  readonly attempt: Attempt;
  readonly operationId: OperationId;
  /** On the monotonic clock, in milliseconds. */
  readonly leaseEndsAt: number;
}

/** How logs name an attempt. */
export const refreshOperation = {
  type: "auth",
  action: "refresh_token",
  message: "Renew the credentials",
} as const;

/** How an attempt ended, regardless of who made it. */
export type RefreshOutcome =
  | { readonly kind: "renewed"; readonly connection: Connection }
  | { readonly kind: "failed"; readonly connection: Connection; readonly problem: RefreshProblem }
  | { readonly kind: "gone" };

export interface RenewInput {
  readonly connection: Connection;
  readonly integration: Integration;
  readonly refresh: NonNullable<AuthMode["refresh"]>;
  /** Attempts even when the last failure says to wait. */
  readonly force: boolean;
}
