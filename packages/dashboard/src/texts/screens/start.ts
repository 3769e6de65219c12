import { counted } from "../counted.ts";

/** The first steps of who tries the platform. */
const english = {
  title: "First steps",
  own: "Use a provider of your own",
  none: "No simulated provider on this server",
  noneText:
    "Other machines can reach this server, so it does not simulate a provider. Choose a real one from the catalogue.",
  done: "done",
  integration: "Add an integration",
  integrationText:
    "This server simulates HubSpot on your machine: you need no account, and nothing leaves the machine. The integration sends its calls to the simulator.",
  makeIntegration: "Add the simulated HubSpot",
  thenIntegration: "then",
  connect: "Connect an account",
  connectText:
    "This is the page that your customers see. The consent page that it opens is HubSpot's, simulated.",
  openConnect: "Open the connect page",
  connectAgain: "Connect again",
  deploy: "Deploy a sync",
  deployText: "A function in TypeScript that copies contacts. Change it if you like.",
  source: "Source of the sync",
  deployNow: "Deploy it",
  run: "Watch it run",
  runText: "The sync starts by itself as soon as it is deployed, for each connection.",
  records: (count: string) => counted(count, "record"),
  fail: "Make HubSpot fail",
  failText:
    "Each button changes what the simulated HubSpot does, and runs the sync. See what the server does by itself, and what it asks you for.",
  faults: {
    none: "Let it work again",
    expired_tokens: "End its access tokens",
    rate_limit: "Refuse calls with 429",
    unavailable: "Answer with 503",
    revoked: "Withdraw the access",
  },
  nowText: {
    none: "HubSpot works.",
    expired_tokens:
      "Access tokens from before are refused. The server gets a new one with the refresh token, and repeats the call.",
    rate_limit:
      "Calls are refused for 5 seconds. The server waits as long as HubSpot asks, and continues.",
    unavailable: "Every call is answered with 503. Runs fail, and are tried again later.",
    revoked:
      "Only your customer can repair this, by connecting again: choose “Connect again” above.",
  },
  happened: "What happened",
  wrong: "What is wrong",
  nothingWrong: "No open problems. The server checks every 30 seconds.",
  why: "Why, and what helps",
  thenProblems: "then",
  code: "Do the same with your code",
  codeText: "Create a key, put it into your .env file, and start a project for functions.",
  makeKey: "Create a key",
};

/** Loaded with the screens that show them. */
export const startTexts = { english };
