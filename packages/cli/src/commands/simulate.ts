import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Vendor, VendorApi } from "@jackfield/simulator";
import { Command, Option } from "commander";
import { loadSimulator } from "../load-simulator.ts";
import { exitCodes, messageOf, UserError } from "../user-error.ts";

interface SimulateOptions {
  port: string;
  file?: string;
  api?: string;
  autoConsent?: true;
  platform: string;
}

export function simulateCommand(): Command {
  return new Command("simulate")
    .description("simulate a provider on this machine, to develop without an account there")
    .argument("<provider>", "id of a provider, such as github, or mcp for an MCP server")
    .addOption(new Option("--port <number>", "port to listen on").default("4010"))
    .addOption(new Option("--file <path>", "a provider file that contains the provider"))
    .addOption(
      new Option("--platform <url>", "address of the server").default("http://127.0.0.1:3003"),
    )
    .option("--api <module>", "custom answers instead of sample data: a module's default export")
    .option("--auto-consent", "consent to every authorization without a page")
    .addHelpText(
      "after",
      "\nStart the server with SVC_EGRESS_ALLOW=127.0.0.1/32, so that it may call this machine.\n" +
        "Turn faults on and off on the page whose URL it prints.\n" +
        "\nExamples:\n  $ jackfield simulate hubspot\n  $ jackfield simulate hubspot --api fakes/hubspot.ts\n" +
        "  $ jackfield simulate acme --file acme.yaml\n  $ jackfield simulate mcp",
    )
    .action(simulate);
}

/** Not a provider, but a server of the protocol that any integration of an MCP server can have. */
const MCP = "mcp";

async function simulate(id: string, options: SimulateOptions): Promise<void> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UserError(`--port must be a number up to 65535, not "${options.port}".`, {
      exitCode: exitCodes.usage,
    });
  }
  if (id === MCP) {
    await simulateMcp(port, options);
    return;
  }
  const { startVendor, describeIntegration, describeWebhookSecret } = await loadSimulator();
  const provider = await findProvider(id, options.file);
  const api = options.api === undefined ? {} : { api: await importApi(options.api) };
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await using vendor = await startVendor(provider, {
    port,
    consent: options.autoConsent ? "automatic" : "interactive",
    setupUrl: `${options.platform}/app-auth/connect`,
    ...api,
  }).catch(explainPort(port));
  console.log(`${provider.display_name} is simulated at ${vendor.origin}

Faults and what arrived   ${vendor.origin}/.simulator
An integration for it     POST ${options.platform}/integrations
${toText(describeIntegration(vendor))}
${presentSecret(describeWebhookSecret(vendor), `${options.platform}/integrations/${id}`)}
${presentConnection(vendor, options.platform)}`);
  await stopped;
}

async function simulateMcp(port: number, { platform }: SimulateOptions): Promise<void> {
  const { startMcpServer } = await loadSimulator();
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await using server = await startMcpServer({ port }).catch(explainPort(port));
  const key = "mcp-api-key";
  const connection = {
    ...{ provider_config_key: key, connection_id: "acme" },
    connection_config: { mcp_server_url: server.url },
    credentials: { type: "API_KEY", apiKey: server.key },
    tags: { end_user_id: "u1" },
  };
  console.log(`An MCP server is simulated at ${server.url}

What it does, and what arrived   GET ${server.origin}/.simulator, PUT to change it
An integration for it            POST ${platform}/integrations
${toText({ unique_key: key, provider: key })}
A connection for it              POST ${platform}/connections
${toText(connection)}`);
  await stopped;
}

function explainPort(port: number) {
  return (error: unknown): never => {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!isTaken) throw error;
    throw new UserError(`Port ${port} is in use: choose another with --port.`, { cause: error });
  };
}

/** How the secret of webhooks is set, which some integrations take only afterwards. */
function presentSecret(secret: object | undefined, address: string): string {
  return secret === undefined
    ? ""
    : `Its webhooks' secret      PATCH ${address}\n${toText(secret)}\n`;
}

/** How a connection is made: imported, where that is possible, and by an end user. */
function presentConnection(vendor: Vendor, platform: string): string {
  const connection = vendor.newConnection();
  const body = { provider_config_key: vendor.provider.id, connection_id: "acme", ...connection };
  const typed = { ...vendor.samples.connectionConfig, ...vendor.samples.credentials };
  return [
    ...(connection === undefined
      ? []
      : [`A connection for it        POST ${platform}/connections\n${toText(body)}`]),
    ...(Object.keys(typed).length === 0
      ? []
      : [`What an end user enters on the connect page\n${toText(typed)}`]),
  ].join("\n\n");
}

function toText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

async function importApi(path: string): Promise<VendorApi> {
  const module: { default?: unknown } = await import(pathToFileURL(resolve(path)).href).catch(
    (cause: unknown) => {
      throw new UserError(`${path} cannot be loaded: ${messageOf(cause)}`, {
        cause,
        exitCode: exitCodes.usage,
      });
    },
  );
  if (isVendorApi(module.default)) return module.default;
  throw new UserError(`${path} has no function as its default export.`, {
    exitCode: exitCodes.usage,
  });
}

// What it takes and gives cannot be seen from outside.
function isVendorApi(value: unknown): value is VendorApi {
  return typeof value === "function";
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
  throw new UserError(`The catalogue has no provider ${id}.${hint}`, {
    exitCode: exitCodes.usage,
  });
}
