import { once } from "node:events";
import { parseArgs } from "node:util";
import { demoAccount } from "./interactions.ts";
import { startSimulatedProvider } from "./start-simulated-provider.ts";

const usage = `Starts Harbor CRM, a sample provider, on 127.0.0.1.

  --port <number>          port to listen on (default: any free one)
  --contacts <number>      contacts to start with (default: 3000)
  --token-life <seconds>   life of an access token (default: 3600)
  --seed <number>          seed of contacts and credentials (default: 1)
  --redirect-uri <url>     address the client may be sent back to, repeatable
                           (default: http://127.0.0.1:3003/oauth/callback)
  --auto-consent           grant every authorization request without a page
  --help
`;

/** Runs the provider from the command line until SIGTERM or SIGINT; resolves with an exit code. */
async function runProgram(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "0" },
      contacts: { type: "string", default: "3000" },
      "token-life": { type: "string", default: "3600" },
      seed: { type: "string", default: "1" },
      "redirect-uri": { type: "string", multiple: true },
      "auto-consent": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await using provider = await startSimulatedProvider({
    redirectUris: values["redirect-uri"] ?? ["http://127.0.0.1:3003/oauth/callback"],
    port: toWholeNumber("--port", values.port, 0),
    contacts: toWholeNumber("--contacts", values.contacts, 0),
    accessTokenLifetimeSeconds: toWholeNumber("--token-life", values["token-life"], 1),
    seed: toWholeNumber("--seed", values.seed, 0),
    consent: values["auto-consent"] ? "automatic" : "interactive",
  });
  process.stdout.write(`Harbor CRM is running at ${provider.origin}

  API                ${provider.apiUrl}/contacts
  API key            ${provider.apiKey}
  Authorization URL  ${provider.oauth.authorizationUrl}
  Token URL          ${provider.oauth.tokenUrl}
  Revocation URL     ${provider.oauth.revocationUrl}
  Client id          ${provider.oauth.clientId}
  Client secret      ${provider.oauth.clientSecret}
  Webhook secret     ${provider.webhookSecret}
  Sign in with       any email address, password ${demoAccount.password}
`);
  await stopped;
  return 0;
}

function toWholeNumber(flag: string, text: string, minimum: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= minimum) return value;
  throw new RangeError(`${flag} must be a whole number of at least ${minimum}, not "${text}".`);
}

try {
  process.exitCode = await runProgram(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
