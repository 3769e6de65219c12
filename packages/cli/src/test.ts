// `jackfield/test`: what authors import in their own test files.
import { startThrowAwayServer } from "@jackfield/server";

export { type AnyDefinition, readRecording, replay } from "@jackfield/functions/test-kit";
export {
  type DescribedConnection,
  describeIntegration,
  startVendor,
  type Vendor,
  type VendorAnswer,
  type VendorApi,
  type VendorCall,
  type VendorOptions,
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
  const server = await startThrowAwayServer(options.env);
  const { newKeys, url } = server;
  if (newKeys === undefined) throw new Error("the database of a new platform was not empty");
  return {
    url,
    keys: newKeys,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}
