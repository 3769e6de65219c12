import type { RouteOutput, revocationRoutes } from "@jackfield/contract";
import type { Actor, EnvironmentId } from "#foundation";

/** What a revocation means, as it was sent. */
export interface RevocationMatch {
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly end_user_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly key_id?: string | undefined;
}

export interface Touched {
  readonly keys: readonly Toucher[];
  readonly agentSessions: readonly Toucher[];
  readonly agentSessionsEnded: number;
  readonly connectSessionsEnded: number;
}

export interface Toucher {
  readonly id: string;
  readonly connections: number;
  /** ISO. */
  readonly lastUsedAt: string;
}

export interface Revocation {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly isRehearsal: boolean;
  /** With the integration by its id, which the row keeps when the integration is renamed. */
  readonly match: RevocationMatch & { readonly integrationId?: number | undefined };
  readonly reason: string | null;
  readonly actor: Actor;
  readonly endsSessions: boolean;
  readonly createdAt: Date;
  readonly afterCreatedAt: Date | null;
  readonly afterId: number | null;
  /** How often connections are still gone through; 0 when all have been chosen. */
  readonly passesLeft: number;
  readonly matched: number;
  readonly frozenAt: Date | null;
  readonly touched: Touched | null;
  readonly summary: string | null;
  readonly endedAt: Date | null;
}

/** What has become of one connection. */
export type ItemState = RouteOutput<
  typeof revocationRoutes.listRevokedConnections
>["data"][number]["state"];
export type Counts = Readonly<Record<ItemState, number>>;

/** What the provider answered to one withdrawal. */
export interface WithdrawalAnswer {
  readonly token: "refresh_token" | "access_token" | "credentials";
  readonly host: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly isWithdrawn: boolean;
  /** ISO. */
  readonly at: string;
}

export interface Outcome {
  readonly reason: string | null;
  readonly answers: readonly WithdrawalAnswer[];
}

export interface Item {
  readonly revocationId: string;
  readonly environmentId: EnvironmentId;
  readonly position: number;
  readonly connectionUuid: string;
  readonly connectionId: string;
  readonly integrationId: number;
  readonly integrationKey: string;
  readonly provider: string;
  readonly state: ItemState;
  readonly attempts: number;
  readonly dueAt: Date | null;
  readonly frozenAt: Date | null;
  readonly nextRefreshAt: Date | null;
  readonly kept: Buffer | null;
  readonly outcome: Outcome | null;
  readonly report: string | null;
  readonly settledAt: Date | null;
}

/** What due loops are woken for. */
export const REVOCATIONS = "revocations";

/** Other processes write whom they have served within so long. */
export const USES_WRITTEN_MS = 6000;
