import { createContactBook } from "../api/contacts.ts";
import { describeIntegration } from "../vendor/describe-integration.ts";
import type { Faults } from "../vendor/faults.ts";
import { startVendor } from "../vendor/start-vendor.ts";
import { contactsSync } from "./contacts-sync.ts";
import { hubspotApi } from "./hubspot-contacts.ts";

const CONTACTS = 1000;
const LIMITED_S = 5;

/** Ways in which it fails, one at a time. */
const faults = {
  none: {},
  expired_tokens: { expire_tokens: true },
  rate_limit: { rate_limit: "entry", rate_limit_s: LIMITED_S },
  unavailable: { status: 503 },
  revoked: { revoke_grants: true },
} as const satisfies Record<string, Partial<Faults>>;

export type FirstStepsFault = keyof typeof faults;

export interface FirstSteps extends AsyncDisposable {
  readonly provider: string;
  readonly origin: string;
  /** The body of `POST /integrations`. */
  readonly integration: object;
  /** Sources that work with its API. */
  readonly functions: readonly {
    readonly type: "sync";
    readonly name: string;
    readonly code: string;
  }[];
  readonly fault: FirstStepsFault;
  setFault(fault: FirstStepsFault): void;
  readonly counts: { readonly calls: number; readonly refreshes: number };
  remember(): string;
}

/** HubSpot with a thousand contacts, for who has no account there and wants to see connecting, syncing and failing. */
export async function startFirstSteps(given: {
  readonly port?: number | undefined;
  readonly memory?: string | undefined;
}): Promise<FirstSteps> {
  const { port, memory } = given;
  const api = hubspotApi(createContactBook({ count: CONTACTS, seed: 1 }));
  const vendor = await startVendor("hubspot", {
    ...(port === undefined ? {} : { port }),
    api,
    memory,
  });
  let fault: FirstStepsFault = "none";
  return {
    provider: vendor.provider.id,
    origin: vendor.origin,
    integration: describeIntegration(vendor),
    functions: [{ type: "sync", name: "contacts", code: contactsSync }],
    get fault() {
      return fault;
    },
    setFault(next) {
      fault = next;
      vendor.setFaults(faults[next]);
    },
    get counts() {
      return { calls: vendor.countPassed("call"), refreshes: vendor.countPassed("refresh") };
    },
    remember: () => vendor.remember(),
    [Symbol.asyncDispose]: async () => await vendor[Symbol.asyncDispose](),
  };
}
