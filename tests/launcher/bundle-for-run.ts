import { bundleCommandLine } from "./command-line-bundle.ts";

/** Tells the processes of a test run which script the command line is. */
export default async function setUp(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: inherited by the processes of the tests
  process.env["TEST_COMMAND_LINE"] = await bundleCommandLine();
}
