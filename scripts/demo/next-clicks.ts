import { printStep } from "./api-client.ts";
import { createSession, type Walk } from "./walk.ts";

/** Tells a person with a browser what to try, while everything is running. */
export async function printNextClicks(walk: Walk, webhookUrl: string): Promise<void> {
  const { connect_link: connectLink } = await createSession(walk, "u-2");
  const { url, key, hubspot } = walk;
  const simulator = `${hubspot.origin}/.simulator?webhook_url=${encodeURIComponent(webhookUrl)}`;
  printStep("What to click next");
  process.stdout.write(`  1. Connect an account, as your customer would: choose HubSpot, then Allow
     ${connectLink}

  2. Be HubSpot: see what it was asked, send a webhook, switch on a fault and call again
     ${simulator}

  3. Read the API, and call it
     ${url}/docs/api
     curl -H "Authorization: Bearer ${key}" ${url}/connections

  The functions are in packages/simulator/functions. The link of 1 is good for 30 minutes.
  To build against a simulator of your own: npx jackfield simulate <provider>

  Ctrl+C ends all of it; nothing stays behind.
`);
}
