import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { UserError } from "../user-error.ts";

interface SimulateOptions {
  port: string;
  file?: string;
  autoConsent?: true;
  platform: string;
}

export function simulateCommand(): Command {
  return new Command("simulate")
    .description("play a provider's part on this machine, to develop without an account there")
    .argument("<provider>", "id of a provider, such as github")
    .addOption(new Option("--port <number>", "port to listen on").default("4010"))
    .addOption(new Option("--file <path>", "a provider file that has the provider"))
    .addOption(
      new Option("--platform <url>", "address of the platform").default("http://127.0.0.1:3003"),
    )
    .option("--auto-consent", "agree to every authorisation without a page")
    .addHelpText(
      "after",
      "\nThe platform has to open this machine to its calls: SVC_EGRESS_ALLOW=127.0.0.1/32.\n" +
        "Faults are switched on the page that it prints.\n" +
        "\nExamples:\n  $ jackfield simulate hubspot\n  $ jackfield simulate acme --file acme.yaml",
    )
    .action(simulate);
}

async function simulate(id: string, options: SimulateOptions): Promise<void> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UserError(`--port must be a number up to 65535, not "${options.port}".`);
  }
  const { startVendor, describeIntegration } = await import("@jackfield/simulator");
  const provider = await findProvider(id, options.file);
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await using vendor = await startVendor(provider, {
    port,
    consent: options.autoConsent ? "automatic" : "interactive",
    setupUrl: `${options.platform}/app-auth/connect`,
  });
  console.log(`${provider.display_name} is simulated at ${vendor.origin}

Faults and what arrived   ${vendor.origin}/.simulator
An integration for it     POST ${options.platform}/integrations
${JSON.stringify(describeIntegration(vendor), undefined, 2)}

What whoever connects enters
${JSON.stringify({ ...vendor.samples.connectionConfig, ...vendor.samples.credentials }, undefined, 2)}`);
  await stopped;
}

async function findProvider(id: string, file: string | undefined) {
  const { getProvider, listProviderIds, readProviderFile } = await import("@jackfield/catalogue");
  if (file !== undefined) {
    const { providers, faults } = readProviderFile(file, await readFile(file, "utf8"));
    const found = providers.find((provider) => provider.id === id);
    if (found !== undefined) return found;
    throw new UserError([`${file} has no provider ${id} without a fault.`, ...faults].join("\n"));
  }
  const found = getProvider(id);
  if (found !== undefined) return found;
  const near = listProviderIds().filter((known) => known.startsWith(id.slice(0, 3)));
  const hint = near.length === 0 ? "" : ` Did you mean ${near.slice(0, 5).join(", ")}?`;
  throw new UserError(`The catalogue has no provider ${id}.${hint}`);
}
