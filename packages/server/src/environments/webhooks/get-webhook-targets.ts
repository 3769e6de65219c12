import type { WebhookSettings } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { findWebhookSettings } from "./store.ts";

export interface WebhookTargets {
  /** Addresses that get every webhook; empty when none is set. */
  readonly urls: readonly string[];
  readonly settings: WebhookSettings;
}

export async function getWebhookTargets(ctx: EnvironmentContext): Promise<WebhookTargets> {
  const settings = await findWebhookSettings(ctx.db, ctx.environment.id);
  if (settings === undefined) throw new Error("the environment has no webhook settings");
  const urls = [settings.primary_url, settings.secondary_url].filter((url) => url !== "");
  return { urls: [...new Set(urls)], settings };
}
