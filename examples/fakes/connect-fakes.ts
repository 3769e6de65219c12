import type { Fakes } from "./start-fakes.ts";
import { integrations } from "./start-fakes.ts";

export const connectionId = "acme";

/** What the functions find as metadata, by integration. */
const metadata: Readonly<Record<string, object>> = {
  github: { owner: "acme", repo: "rockets", webhookUrl: "https://hooks.example.com/github" },
};

/** Makes an integration for each fake, by the platform's API. */
export async function createIntegrations(platform: Platform, fakes: Fakes): Promise<void> {
  for (const id of integrations) {
    await post(platform, "/integrations", {
      provider: "private-api-bearer",
      unique_key: id,
      integration_config: { base_url: fakes.urls[id] },
    });
  }
}

/** Makes a connection for each integration, with what the fake takes as token. */
export async function createConnections(platform: Platform, fakes: Fakes): Promise<void> {
  for (const id of integrations) {
    await post(platform, "/connections", {
      provider_config_key: id,
      connection_id: connectionId,
      credentials: { type: "API_KEY", apiKey: fakes.token },
      metadata: metadata[id] ?? {},
    });
  }
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
