import assert from "node:assert";
import { getProvider, type Provider } from "@jackfield/catalogue";
import type { integrationSettings } from "@jackfield/contract";
import type { infer as Infer } from "zod";
import type { EnvironmentId } from "#platform";

/** A provider, configured. */
export interface Integration {
  readonly id: number;
  readonly environmentId: EnvironmentId;
  readonly uniqueKey: string;
  readonly provider: string;
  /** The entry's name unless set. */
  readonly displayName: string | undefined;
  readonly forwardWebhooks: boolean;
  readonly integrationConfig: Readonly<Record<string, string>>;
  /** Values for entries that declare no configuration of their own. */
  readonly custom: Readonly<Record<string, string>>;
  readonly settings: IntegrationSettings;
  readonly sealedCredentials: Buffer | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type IntegrationSettings = Infer<typeof integrationSettings>;

/** The catalogue's entry; an integration is only made for one that exists, and ids are never dropped. */
export function providerOf(integration: Pick<Integration, "provider">): Provider {
  const provider = getProvider(integration.provider);
  assert(provider !== undefined, `the catalogue has no provider ${integration.provider}`);
  return provider;
}
