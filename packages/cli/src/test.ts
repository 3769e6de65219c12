// `jackfield/test`: what authors import in their own test files.
import type * as simulator from "@jackfield/simulator";
import { needsServer } from "./load-server.ts";
import { loadSimulator } from "./load-simulator.ts";

export { type AnyDefinition, readRecording, replay } from "@jackfield/functions/test-kit";
export type {
  DescribedConnection,
  Vendor,
  VendorAnswer,
  VendorApi,
  VendorCall,
  VendorOptions,
} from "@jackfield/simulator";

/** A server of a test's own. */
export interface TestPlatform extends AsyncDisposable {
  /** Its address, such as `http://localhost:41234`. */
  readonly url: string;
  /** Keys of the environments `dev` and `prod` and of the account. */
  readonly keys: { readonly dev: string; readonly prod: string; readonly account: string };
}

/**
 * Boots the whole platform, with an empty database, in this process: `await using platform = await startPlatform()`.
 * The first time takes some seconds more, in which it makes the files of its database. `env` takes `SVC_*` settings;
 * loopback addresses are open to calls, so that a fake provider in the test can be reached.
 */
export async function startPlatform(
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<TestPlatform> {
  const { startThrowAwayServer } = await needsServer(import("@jackfield/server"));
  const server = await startThrowAwayServer(options.env);
  const { newKeys, url } = server;
  if (newKeys === undefined) throw new Error("the database of a new platform was not empty");
  return {
    url,
    keys: newKeys,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

let loaded: typeof simulator | undefined;

/** Plays a provider's part in this process; needs the package `@jackfield/simulator`. */
export async function startVendor(
  ...args: Parameters<typeof simulator.startVendor>
): ReturnType<typeof simulator.startVendor> {
  loaded ??= await loadSimulator();
  return await loaded.startVendor(...args);
}

/** The body of `POST /integrations` for a vendor that `startVendor` has started. */
export function describeIntegration(
  ...args: Parameters<typeof simulator.describeIntegration>
): ReturnType<typeof simulator.describeIntegration> {
  if (loaded === undefined)
    throw new Error("start a vendor with startVendor of jackfield/test first");
  return loaded.describeIntegration(...args);
}

/**
 * The body of `PATCH /integrations/{key}` that sets the secret of the vendor's webhooks; undefined where
 * `describeIntegration` has it already.
 */
export function describeWebhookSecret(
  ...args: Parameters<typeof simulator.describeWebhookSecret>
): ReturnType<typeof simulator.describeWebhookSecret> {
  if (loaded === undefined)
    throw new Error("start a vendor with startVendor of jackfield/test first");
  return loaded.describeWebhookSecret(...args);
}
