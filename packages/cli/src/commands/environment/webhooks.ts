import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Command, InvalidArgumentError, Option } from "commander";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";
import { arrivalsCommand } from "../../webhooks/arrivals-command.ts";
import { intakeCommand } from "../../webhooks/intake-command.ts";
import { missedCommand } from "../../webhooks/missed-command.ts";

interface CommonOptions {
  environment: string;
  signingKey?: string;
}

interface ListenOptions extends CommonOptions {
  port: number;
  takeSecondaryUrl?: true;
  url?: string;
}

interface SendOptions extends CommonOptions {
  kind: string;
}

const DEFAULT_PORT = 4003;

export function webhooksCommand(): Command {
  const webhooks = new Command("webhooks").description(
    "webhooks that the server sends and receives",
  );
  webhooks
    .command("listen")
    .description("print and verify webhooks sent to this machine")
    .option("-e, --environment <name>", "environment whose signing keys are used to verify", "dev")
    .option("--signing-key <key>", "verify with this key, without asking the server", toSigningKey)
    .option("--port <port>", "port to listen on at 127.0.0.1", toPort, DEFAULT_PORT)
    .option(
      "--take-secondary-url",
      "set the environment's secondary_url to this machine while the command runs",
    )
    .option(
      "--url <url>",
      "with --take-secondary-url: URL at which the server reaches this machine",
    )
    .addHelpText(
      "after",
      "\nThe API key needs environment:webhooks:read, for --take-secondary-url also environment:webhooks:write.\n" +
        "A server on this machine needs SVC_EGRESS_ALLOW=127.0.0.0/8 to send here.\n" +
        "\nExamples:\n  $ jackfield webhooks listen\n  $ jackfield webhooks listen --take-secondary-url",
    )
    .action(listen);
  webhooks
    .command("send-test")
    .argument("<url>", "URL of the endpoint")
    .description("send a signed sample webhook to an endpoint, from this machine")
    .option("-e, --environment <name>", "environment whose signing key is used", "dev")
    .option("--signing-key <key>", "sign with this key, without asking the server", toSigningKey)
    .addOption(new Option("--kind <kind>", "kind of webhook to send").default("auth.creation"))
    .addHelpText(
      "after",
      "\nKinds: auth.creation, auth.override, auth.refresh, sync, sync.failure, sync.webhook, async_action, forward.\n" +
        "Exit code 1 means that the endpoint did not answer with 2xx.\n" +
        "\nExample:\n  $ jackfield webhooks send-test http://127.0.0.1:8080/hooks --kind sync",
    )
    .action(sendTest);
  webhooks.addCommand(intakeCommand());
  webhooks.addCommand(arrivalsCommand());
  webhooks.addCommand(missedCommand());
  return webhooks;
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

function toSigningKey(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "A signing key is `whsec_` and base64; GET /environment/webhooks shows it as signing_key.",
  );
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const { startListener } = await import("../../webhooks/start-listener.ts");
  const { readWebhookSettings, setSecondaryUrl } = await import(
    "../../webhooks/webhook-settings.ts"
  );
  if (options.url !== undefined && options.takeSecondaryUrl === undefined) {
    command.error("error: --url goes with --take-secondary-url");
  }
  const isAsked = options.signingKey === undefined || options.takeSecondaryUrl === true;
  const platform = isAsked ? findPlatform(options.environment) : undefined;
  const settings = platform && (await readWebhookSettings(platform));
  const keys = options.signingKey === undefined ? (settings?.keys ?? []) : [options.signingKey];
  await using listener = await startListener(options.port, keys);
  console.error(`Listening on ${listener.url}; Ctrl+C ends it.`);
  // A closed terminal hangs up.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const stopped = Promise.race(signals.map(async (signal) => await once(process, signal)));
  if (options.takeSecondaryUrl === undefined || !platform || !settings) {
    console.error(
      `Try it: jackfield webhooks send-test ${listener.url}\n` +
        "With --take-secondary-url the environment's webhooks come here too.",
    );
    await stopped;
    return;
  }
  const taken = options.url ?? listener.url;
  await setSecondaryUrl(platform, taken);
  console.error(`secondary_url of ${options.environment} is ${taken} until then.`);
  await stopped;
  // Somebody else may have changed it meanwhile.
  const { secondaryUrl } = await readWebhookSettings(platform);
  if (secondaryUrl !== taken) return;
  // Left over from a run that was killed.
  const before = settings.secondaryUrl === taken ? "" : settings.secondaryUrl;
  await setSecondaryUrl(platform, before);
  console.error(`secondary_url is ${before === "" ? "empty" : before} again.`);
}

async function sendTest(url: string, options: SendOptions, command: Command): Promise<void> {
  const { sampleKinds, samplesAt } = await import("../../webhooks/samples.ts");
  const { signBody } = await import("../../webhooks/signature.ts");
  const { readWebhookSettings } = await import("../../webhooks/webhook-settings.ts");
  const sentAt = new Date();
  const sample = samplesAt(sentAt)[options.kind];
  if (sample === undefined) {
    command.error(`error: there is no kind ${options.kind}; kinds are ${sampleKinds.join(", ")}`);
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    command.error(`error: not an http or https address: ${url}`);
  }
  const key =
    options.signingKey ?? (await readWebhookSettings(findPlatform(options.environment))).keys[0];
  if (key === undefined) throw new UserError("The environment has no signing key.");
  const body = Buffer.from(JSON.stringify(sample));
  const headers = signBody({ id: `msg_${randomUUID()}`, sentAt, body }, key);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      "user-agent": "svc-cli (test webhook)",
    },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(20_000),
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    throw new UserError(`${url} did not answer: ${messageOf(reason)}`, { cause });
  });
  const text = (await response.text()).slice(0, 1024);
  console.log(`${response.status} ${response.statusText}${text === "" ? "" : `\n${text}`}`);
  if (response.ok) return;
  const message = `The endpoint has to answer with 2xx; ${wordRest(response.status)}.`;
  throw new UserError(message, { exitCode: exitCodes.failed });
}

/** What the server would do next (docs/webhooks.md, "Delivery"). */
function wordRest(status: number): string {
  if (status === 410) return "410 would end this delivery";
  const redirect = status >= 300 && status < 400 ? " (redirects are not followed)" : "";
  return `${status}${redirect} would be tried again`;
}
