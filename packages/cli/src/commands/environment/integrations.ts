import { Command, InvalidArgumentError } from "commander";
import * as z from "zod";
import { readVariable } from "../../config.ts";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";
import { funnelCommand } from "./connect-funnel.ts";
import { openapiCommand } from "./integration-openapi.ts";

interface CreateOptions {
  environment: string;
  displayName?: string;
  clientId?: string;
  clientSecretEnv?: string;
  scopes?: string;
  config: Readonly<Record<string, string>>;
  json?: true;
}

const shown = z.looseObject({
  unique_key: z.string(),
  provider: z.string(),
  display_name: z.string(),
});
const integrationList = z.looseObject({ data: z.array(shown) });
const oneIntegration = z.looseObject({ data: shown });
const oneProvider = z.looseObject({ data: z.looseObject({ auth_mode: z.string() }) });

export function integrationsCommand(): Command {
  const integrations = new Command("integrations").description(
    "the providers that an environment is configured for",
  );
  integrations
    .command("list")
    .description("list the integrations of an environment")
    .option("-e, --environment <name>", "environment of the integrations", "dev")
    .option("--json", "print the API's answer as JSON")
    .action(listIntegrations);
  integrations
    .command("create")
    .description("configure a provider in an environment")
    .argument("<provider>", "as `jackfield providers` and GET /providers name it")
    .argument("[id]", "id of the integration; the provider's name unless given")
    .option("-e, --environment <name>", "where", "dev")
    .option("--display-name <text>", "name that end users see")
    .option("--client-id <id>", "client id of your OAuth app at the provider")
    .option(
      "--client-secret-env <variable>",
      "name of the environment variable that holds the OAuth app's secret",
    )
    .option("--scopes <list>", "scopes that connections request, comma-separated")
    .option("--config <name=value>", "a setting of the provider; can be repeated", addSetting, {})
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe secret is read from a variable: other users of the machine can see a command line, and the\n" +
        "shell's history keeps it.\n" +
        "\nExamples:\n" +
        "  $ jackfield integrations create hubspot --client-id abc --client-secret-env HUBSPOT_SECRET \\\n" +
        "      --scopes crm.objects.contacts.read\n" +
        "  $ jackfield integrations create private-api-bearer crm --config base_url=https://crm.example.com",
    )
    .action(createIntegration);
  return integrations.addCommand(openapiCommand()).addCommand(funnelCommand());
}

function addSetting(text: string, known: Readonly<Record<string, string>>) {
  const at = text.indexOf("=");
  if (at > 0) return { ...known, [text.slice(0, at)]: text.slice(at + 1) };
  throw new InvalidArgumentError("Write it as name=value.");
}

async function listIntegrations(options: { environment: string; json?: true }): Promise<void> {
  const answer = await callPlatform(findPlatform(options.environment), {
    method: "GET",
    path: "/integrations",
    answer: integrationList,
  });
  if (options.json === true) {
    printJson(answer);
    return;
  }
  if (answer.data.length === 0) {
    console.log("There is no integration yet: make one with `jackfield integrations create`.");
    return;
  }
  const rows = answer.data.map((each) => [each.unique_key, each.provider, each.display_name]);
  printTable([["INTEGRATION", "PROVIDER", "NAME"], ...rows]);
}

async function createIntegration(
  provider: string,
  id: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const platform = findPlatform(options.environment);
  const credentials = await readClient(platform, provider, options);
  const { displayName, config } = options;
  const answer = await callPlatform(platform, {
    path: "/integrations",
    body: {
      provider,
      unique_key: id ?? provider,
      ...(displayName !== undefined && { display_name: displayName }),
      ...(credentials !== undefined && { credentials }),
      ...(Object.keys(config).length > 0 && { integration_config: config }),
    },
    answer: oneIntegration,
  });
  if (options.json === true) printJson(answer);
  else {
    const { unique_key: key, provider: name } = answer.data;
    console.log(`Made the integration ${key} (${name}) in ${options.environment}.`);
  }
}

/** The OAuth client in the form that the provider's mode has; undefined where none is given. */
async function readClient(
  platform: Platform,
  provider: string,
  { clientId, clientSecretEnv, scopes }: CreateOptions,
): Promise<Record<string, string> | undefined> {
  if (clientId === undefined && clientSecretEnv === undefined && scopes === undefined) {
    return undefined;
  }
  const secret = clientSecretEnv === undefined ? undefined : readVariable(clientSecretEnv);
  if (clientSecretEnv !== undefined && secret === undefined) {
    throw new UserError(`--client-secret-env: the variable ${clientSecretEnv} is not set.`, {
      exitCode: exitCodes.usage,
    });
  }
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: `/providers/${encodeURIComponent(provider)}`,
    answer: oneProvider,
  });
  return {
    type: data.auth_mode,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(secret !== undefined && { client_secret: secret }),
    ...(scopes !== undefined && { scopes }),
  };
}
