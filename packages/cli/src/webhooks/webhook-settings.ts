import * as z from "zod";
import { readProjectSettings } from "../config.ts";
import { callPlatform, type Platform } from "../deploy/call-platform.ts";

const settings = z.looseObject({
  data: z.looseObject({
    secondary_url: z.string(),
    signing_key: z.string().optional(),
    signing_keys: z.array(z.looseObject({ key: z.string() })).optional(),
  }),
});

export interface WebhookSettings {
  readonly secondaryUrl: string;
  /** Newest first. */
  readonly keys: readonly string[];
}

/** The server and key of an environment, as the project in this folder or the shell names them. */
export function findPlatform(environment: string): Platform {
  const { host, requireSecretKey } = readProjectSettings(process.cwd());
  return { host, key: requireSecretKey(environment) };
}

export async function readWebhookSettings(platform: Platform): Promise<WebhookSettings> {
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: "/environment/webhooks",
    answer: settings,
  });
  const keys = data.signing_keys?.map(({ key }) => key) ?? [];
  return { secondaryUrl: data.secondary_url, keys };
}

export async function setSecondaryUrl(platform: Platform, url: string): Promise<void> {
  await callPlatform(platform, {
    method: "PATCH",
    path: "/environment/webhooks",
    body: { secondary_url: url },
    answer: settings,
  });
}
