import { describeIntegration } from "jackfield/test";
import type { Fakes, IntegrationId } from "./start-fakes.ts";

export const connectionId = "acme";

/** What the functions find as metadata, by integration. */
const metadata: Readonly<Record<string, object>> = {
  github: { owner: "acme", repo: "rockets", webhookUrl: "https://hooks.example.com/github" },
};

/** Makes an integration of each provider, whose calls go to its simulator, by the server's API. */
export async function createIntegrations(platform: Platform, { vendors }: Fakes): Promise<void> {
  for (const vendor of vendors.values()) {
    await post(platform, "/integrations", describeIntegration(vendor));
  }
}

/** Imports a connection for each integration, with tokens of its vendor. */
export async function createConnections(platform: Platform, fakes: Fakes): Promise<void> {
  for (const id of fakes.vendors.keys()) {
    await post(platform, "/connections", describeConnection(fakes, id, connectionId));
  }
}

/** The body of `POST /connections`. */
export function describeConnection({ vendors }: Fakes, id: IntegrationId, name: string): object {
  return {
    provider_config_key: id,
    connection_id: name,
    metadata: metadata[id] ?? {},
    ...vendors.get(id)?.newConnection(),
  };
}

interface Platform {
  readonly url: string;
  readonly key: string;
}

async function post({ url, key }: Platform, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}
