import { type FakeProvider, startFake } from "./fake-provider.ts";
import { github } from "./github.ts";
import { googleDrive } from "./google-drive.ts";
import { hubspot } from "./hubspot.ts";
import { createStripe } from "./stripe.ts";
import { xero } from "./xero.ts";

export const integrations = ["hubspot", "github", "xero", "stripe", "google-drive"] as const;
export type IntegrationId = (typeof integrations)[number];

export interface Fakes extends AsyncDisposable {
  readonly urls: Readonly<Record<IntegrationId, string>>;
  /** What each of them takes as bearer token. */
  readonly token: string;
}

/** Starts a stand-in for each provider: on ports from `firstPort` on, or on free ones. */
export async function startFakes({ firstPort }: { firstPort?: number } = {}): Promise<Fakes> {
  await using stack = new AsyncDisposableStack();
  const token = "token-of-the-fakes-1f0c";
  const providers: Record<IntegrationId, FakeProvider> = {
    hubspot,
    github,
    xero,
    stripe: createStripe(),
    "google-drive": googleDrive,
  };
  const urls: Record<IntegrationId, string> = {
    hubspot: "",
    github: "",
    xero: "",
    stripe: "",
    "google-drive": "",
  };
  for (const [index, id] of integrations.entries()) {
    const port = firstPort === undefined ? 0 : firstPort + index;
    const fake = stack.use(await startFake(providers[id], { port, token }));
    urls[id] = fake.url;
  }
  const running = stack.move();
  return { urls, token, [Symbol.asyncDispose]: async () => await running.disposeAsync() };
}
