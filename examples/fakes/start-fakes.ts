import { startVendor, type Vendor, type VendorApi } from "jackfield/test";
import github from "./github.ts";
import googleDrive from "./google-drive.ts";
import { createHubspot, type HubspotAccount } from "./hubspot.ts";
import { createStripe } from "./stripe.ts";
import { createXero, makeAccounts } from "./xero.ts";

export const integrations = ["hubspot", "github", "xero", "stripe", "google-drive"] as const;
export type IntegrationId = (typeof integrations)[number];

export interface Fakes extends AsyncDisposable {
  readonly vendors: ReadonlyMap<IntegrationId, Vendor>;
  /** What a test may change, to see what a second run makes of it. */
  readonly hubspotAccount: HubspotAccount;
  readonly xeroAccounts: ReturnType<typeof makeAccounts>;
}

/** Simulates each provider by its entry in the catalogue, with answers of `fakes/` in place of sample data. */
export async function startFakes(): Promise<Fakes> {
  await using stack = new AsyncDisposableStack();
  const hubspotAccount: HubspotAccount = { accountType: "STANDARD" };
  const xeroAccounts = makeAccounts();
  const apis: Record<IntegrationId, VendorApi> = {
    hubspot: createHubspot(hubspotAccount),
    github,
    xero: createXero(xeroAccounts),
    stripe: createStripe(),
    "google-drive": googleDrive,
  };
  const vendors = new Map<IntegrationId, Vendor>();
  for (const id of integrations) {
    vendors.set(id, stack.use(await startVendor(id, { api: apis[id] })));
  }
  const running = stack.move();
  return {
    vendors,
    hubspotAccount,
    xeroAccounts,
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
