import type { ConnectionUuid, EnvironmentId } from "#foundation";

/** A platform that connections move away from. */
export interface OldPlatform {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly name: string;
  readonly url: string;
  readonly secretKey: Buffer;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const MOST_OLD_PLATFORMS = 20;

export const moveStates = [
  "read_through",
  "handing_over",
  "handed_over",
  "handing_back",
  "reauthorized",
] as const;
export type MoveState = (typeof moveStates)[number];

export type OldSide = "deleted" | "stopped" | "unchanged";

/** A connection that came from an old platform. */
export interface MovedConnection {
  readonly uuid: ConnectionUuid;
  readonly oldPlatformId: string;
  readonly integrationId: number;
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly state: MoveState;
  readonly oldSide: OldSide | null;
  /** Sealed credentials of a hand-over that is not finished. */
  readonly taken: Buffer | null;
  readonly refusalCode: RefusalCode | null;
  readonly refusalMessage: string | null;
  readonly refusedAt: Date | null;
  readonly importedAt: Date;
  readonly changedAt: Date;
  readonly handedOverAt: Date | null;
}

export type RefusalCode =
  | "old_platform_unreachable"
  | "old_platform_refused"
  | "old_platform_invalid_answer"
  | "old_side_refreshing"
  | "old_side_withdraws"
  | "deletion_refused"
  | "not_deleted"
  | "import_refused"
  | "in_progress"
  | "wrong_state"
  | "frozen"
  | "server_error";

/** Why a connection is not handed over or back; the message says what to do. */
export class MoveRefused extends Error {
  override name = "MoveRefused";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
