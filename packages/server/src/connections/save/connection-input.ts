import type { AuthModeId } from "@jackfield/catalogue";
import type { Minted } from "#auth-modes";
import type { OperationId } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection } from "../connection.ts";

export interface ConnectionInput {
  readonly integration: Integration;
  readonly connectionId: string;
  readonly authMode: AuthModeId;
  readonly minted: Minted;
  /** When the provider issued the credentials; undefined when they are older than this call. */
  readonly issuedAt?: Date | undefined;
  // Left undefined, each of these keeps what a connection of that id already has.
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly connectionConfig?: Readonly<Record<string, string>> | undefined;
  /** Empty: none. */
  readonly webhookUrlOverride?: string | undefined;
  readonly fromSession: boolean;
  readonly operationId?: OperationId | undefined;
  /** The credentials may be of another account than those that the connection has. */
  readonly mayChangeAccount?: boolean | undefined;
  /** The old platform that refreshes the tokens. */
  readonly readThrough?: string | undefined;
  /** The connection was pending: to everyone else it is made only now. */
  readonly completes?: boolean | undefined;
}

export interface SavedConnection {
  readonly connection: Connection;
  readonly operation: "creation" | "override";
}
