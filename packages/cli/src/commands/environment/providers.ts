import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Command } from "commander";
import { needsServer } from "../../load-server.ts";
import { loadSimulator } from "../../load-simulator.ts";
import { messageOf, UserError } from "../../user-error.ts";

export function providersCommand(): Command {
  const providers = new Command("providers").description("files that describe providers");
  providers
    .command("lint")
    .description("check a provider file and list the problems of each entry")
    .argument("<file>", "a file in the form of docs/catalogue.md")
    .action(lint);
  providers
    .command("test")
    .description("connect, call, refresh and withdraw with each entry, against a simulated vendor")
    .argument("<file>", "a file in the form of docs/catalogue.md")
    .addHelpText(
      "after",
      "\nStarts a temporary server. The simulated vendor follows the file, so the test shows\n" +
        "that the server can use the entry, not that the vendor agrees with it.",
    )
    .action(test);
  return providers;
}

async function lint(file: string): Promise<void> {
  const { providers } = await read(file);
  console.log(`${file} is right: ${providers.map(({ id }) => id).join(", ")}`);
}

async function read(file: string) {
  const { readProviderFile } = await import("@jackfield/catalogue");
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new UserError(`${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  const reading = readProviderFile(basename(file), text);
  if (reading.faults.length > 0) throw new UserError(reading.faults.join("\n"));
  return reading;
}

async function test(file: string): Promise<void> {
  const { providers } = await read(file);
  const { startVendor, tryProvider } = await loadSimulator();
  const { startThrowAwayServer } = await needsServer(import("@jackfield/server"));
  const folder = await mkdtemp(join(tmpdir(), "jackfield-providers-"));
  const faults: string[] = [];
  try {
    await copyFile(file, join(folder, basename(file).replace(/(\.ya?ml)?$/, ".yaml")));
    await using platform = await startThrowAwayServer({ SVC_PROVIDERS_DIR: folder });
    const key = platform.newKeys?.dev ?? "";
    for (const provider of providers) {
      await using vendor = await startVendor(provider, {
        consent: "automatic",
        setupUrl: `${platform.url}/app-auth/connect`,
      });
      const failed = await tryProvider({ url: platform.url, key }, vendor);
      console.log(`${failed.length === 0 ? "passed" : "failed"}  ${provider.id}`);
      faults.push(...failed.map(({ stage, message }) => `${provider.id}, ${stage}: ${message}`));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (faults.length > 0) throw new UserError(faults.join("\n"));
}
