import { getWebhookTargets } from "#environments";
import type { EnvironmentContext } from "#platform";
import { sendWebhook } from "#webhooks-out";
import type { UpstreamServer } from "./client/door.ts";
import { diffDefinitions } from "./definitions/diff-definitions.ts";
import type { ChangedTool } from "./lists/store.ts";

/** A server that changes everything at once is worth one look, not thousands of webhooks. */
const MOST_WEBHOOKS = 50;

/** Queues a webhook for each tool that is gone for agents since its server has changed it, where they are wanted. */
export async function sendChangedWebhooks(
  ctx: EnvironmentContext,
  { integration, connection }: UpstreamServer,
  changed: readonly ChangedTool[],
): Promise<void> {
  if (changed.length === 0) return;
  const { settings, urls } = await getWebhookTargets(ctx);
  if (!settings.on_agent_tool_changed || urls.length === 0) return;
  for (const { before, after } of changed.slice(0, MOST_WEBHOOKS)) {
    await sendWebhook(ctx, {
      type: "agent_tool_changed",
      body: {
        ...{ from: "svc", type: "agent_tool_changed", operation: "changed" },
        ...{ connectionId: connection.connectionId, providerConfigKey: integration.uniqueKey },
        tool: {
          ...{ name: after.name, server_url: after.serverUrl },
          ...{ allowed_digest: before.digest, digest: after.digest },
          changes: diffDefinitions(before.definition, after.definition),
        },
      },
    });
  }
}
