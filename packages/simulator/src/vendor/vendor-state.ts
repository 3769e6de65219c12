import { randomBytes } from "node:crypto";
import type { Provider, TemplateValues } from "@jackfield/catalogue";
import * as z from "zod";
import type { Client } from "./authorization/check-client.ts";
import type { VendorApi } from "./calls/own-api.ts";
import type { Stage } from "./exchange/received.ts";
import { type Faults, noFaults } from "./faults.ts";
import type { SampleValues } from "./samples/sample-values.ts";

/** A connection's life at the vendor. */
export interface Grant {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: { readonly method: string; readonly value: string } | undefined;
  /** Values that the vendor has given this connection, by field of connection_config. */
  readonly config: Record<string, string>;
  access: string | undefined;
  /** When the access token ends, in ms since 1970. */
  accessEnds: number;
  refresh: string | undefined;
  /** Refresh tokens that were replaced: to come with one is a theft. */
  readonly spent: Set<string>;
  /** Answers of a chain so far, with the tokens that the next step has to bring. */
  chain:
    | { readonly at: number; readonly answers: readonly Chained[]; readonly isRefresh: boolean }
    | undefined;
  revoked: boolean;
}

/** A window of the quota that all connections of the app share. */
export interface QuotaWindow {
  /** In ms since 1970. */
  readonly endsAt: number;
  calls: number;
}

export interface Chained {
  readonly access: string | undefined;
  readonly refresh: string | undefined;
}

export interface NotedRefusal {
  readonly stage: Stage;
  readonly message: string;
  readonly at: Date;
}

/** What the vendor knows; one for each running fake. */
export interface VendorState {
  readonly provider: Provider;
  readonly samples: SampleValues;
  /** Answers that stand in place of the sample data. */
  readonly api: VendorApi | undefined;
  readonly clients: Map<string, Client>;
  readonly codes: Map<string, Grant>;
  readonly grants: Set<Grant>;
  /** OAuth 1: request tokens with their secrets. */
  readonly requestTokens: Map<string, RequestToken>;
  readonly refusals: NotedRefusal[];
  /** How often each stage went well. */
  readonly passed: Map<Stage, number>;
  faults: Faults;
  /** Until when, in ms since 1970, calls are refused with 429. */
  limitedUntil: number | undefined;
  quotaWindow: QuotaWindow | undefined;
  /** Calls that were refused since the app's quota was used up. */
  overQuota: number;
  serial: number;
}

export interface RequestToken {
  readonly secret: string;
  readonly callback: string;
  verifier: string | undefined;
}

export function newVendorState(
  provider: Provider,
  { samples, api }: Pick<VendorState, "samples" | "api">,
): VendorState {
  const { id, secret, privateKey } = samples.client;
  const certificate = samples.credentials["client_certificate"];
  return {
    provider,
    samples,
    api,
    clients: new Map([[id, { id, secret, privateKey, certificate }]]),
    codes: new Map(),
    grants: new Set(),
    requestTokens: new Map(),
    refusals: [],
    passed: new Map(),
    faults: noFaults,
    limitedUntil: undefined,
    quotaWindow: undefined,
    overQuota: 0,
    serial: 0,
  };
}

/** Switches faults; `expire_tokens` and `revoke_grants` end there and then what is out, and nothing later. */
export function changeFaults(state: VendorState, changed: Faults): void {
  state.faults = changed;
  state.limitedUntil = undefined;
  state.quotaWindow = undefined;
  for (const grant of state.grants) {
    if (changed.expire_tokens) grant.accessEnds = 0;
    if (changed.revoke_grants) grant.revoked = true;
  }
}

export function notePassed(state: VendorState, stage: Stage): void {
  state.passed.set(stage, (state.passed.get(stage) ?? 0) + 1);
}

/** How long a new access token lives, in seconds. */
export function tokenLife({ faults }: VendorState): number {
  return faults.token_life_s ?? 3600;
}

/** A secret of the vendor's making; a number makes it unique. */
export function newSecret(state: VendorState, kind: string): string {
  state.serial += 1;
  return `${kind}-${state.serial}-${randomBytes(9).toString("base64url")}`;
}

/** What the entry's templates stand for in a request of this connection. */
export function valuesOf(
  state: VendorState,
  grant: Pick<Grant, "config" | "client"> | undefined,
  more: TemplateValues = {},
): TemplateValues {
  const { samples } = state;
  const { id, secret } = grant?.client ?? samples.client;
  return {
    config: { ...samples.connectionConfig, ...grant?.config },
    integration: samples.integrationConfig,
    credentials: samples.credentials,
    client: { id, secret, app_id: samples.client.appId, app_link: samples.client.appLink },
    platform: { name: "Jackfield", user_agent: "Jackfield" },
    ...more,
  };
}

export function newGrant(client: Client, more: Partial<Grant> = {}): Grant {
  return {
    client,
    redirectUri: "",
    challenge: undefined,
    config: {},
    access: undefined,
    accessEnds: 0,
    refresh: undefined,
    spent: new Set(),
    chain: undefined,
    revoked: false,
    ...more,
  };
}

const keptGrants = z.array(
  z.object({
    client: z.string(),
    config: z.record(z.string(), z.string()),
    access: z.string().optional(),
    accessEnds: z.number(),
    refresh: z.string().optional(),
    revoked: z.boolean(),
  }),
);

/** The connections that a vendor knows, as text; authorizations that have not come to their end are left out. */
export function writeGrants({ grants: known }: VendorState): string {
  const kept = [...known].map(({ client, config, access, accessEnds, refresh, revoked }) => {
    return { client: client.id, config, access, accessEnds, refresh, revoked };
  });
  return JSON.stringify(kept);
}

/** Knows them again; those of clients that are not there any more are left out. */
export function restoreGrants(state: VendorState, text: string): void {
  for (const { client: id, ...kept } of keptGrants.parse(JSON.parse(text))) {
    const client = state.clients.get(id);
    if (client !== undefined)
      state.grants.add(newGrant(client, { access: undefined, refresh: undefined, ...kept }));
  }
}
