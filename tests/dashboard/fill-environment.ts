import { vi } from "vitest";
import type { Browser } from "../people/people-under-test.ts";

/** Connections of the integration `open`, which takes no credentials. */
export async function addConnections(
  owner: Browser,
  environment: string,
  ids: readonly string[],
): Promise<void> {
  const integration = { provider: "unauthenticated", unique_key: "open" };
  await owner.call("POST", "/integrations", { environment, body: integration });
  for (const id of ids) {
    const body = {
      provider_config_key: "open",
      connection_id: id,
      credentials: { type: "NONE" },
      tags: { end_user_id: `u-${id}`, end_user_email: `${id}@example.com` },
      metadata: { plan: "free" },
    };
    const { status, text } = await owner.call("POST", "/connections", { environment, body });
    if (status !== 201) throw new Error(text);
  }
}

interface Source {
  readonly type: "sync" | "action";
  readonly name: string;
  readonly code: string;
  readonly integration?: string;
}

/** A function, of the integration `open` unless another is named, deployed from its source. */
export async function deployFunction(
  owner: Browser,
  environment: string,
  { type, name, code, integration = "open" }: Source,
): Promise<void> {
  const job = {
    type: "function",
    integration_id: integration,
    function_type: type,
    function_name: name,
  };
  const body = { ...job, code };
  const begun = await owner.call("POST", "/functions/deployments", { environment, body });
  await waitFor(async () => {
    const path = `/functions/deployments/${begun.body.id}`;
    const { body: state } = await owner.call("GET", path, { environment });
    if (state.status === "failed") throw new Error(JSON.stringify(state.error));
    return state.status === "success";
  });
}

const WAIT_MS = 30_000;

/** For what comes before the tests, where `expect.poll` may not be used. */
export async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(isDone, { timeout: WAIT_MS, interval: 100 });
}
