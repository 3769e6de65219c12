import { expect } from "vitest";
import type { WatchedPlatform } from "./watched-platform.ts";

/** Deploys and runs functions that log and throw all that they get; `connected` is a connection of `leaky`. */
export async function runFunctions(platform: WatchedPlatform, connected: string): Promise<void> {
  const gathered = `const { credentials } = await svc.getConnection("leaky", "${connected}").catch(() => svc.getConnection());
    const own = await svc.getConnection();
    const variables = await svc.getEnvironmentVariables();
    const token = await svc.getToken();`;
  const bodies = {
    logs: `${gathered}
      await svc.log("all", { credentials, own, variables }, { level: "error" });
      await svc.log("token is " + JSON.stringify(token) + JSON.stringify(variables), { level: "error" });
      console.error("token", own.credentials.apiKey, variables);
      return 1;`,
    throws: `${gathered} throw new Error("failed with " + JSON.stringify({ token, variables, credentials }));`,
    refuses: `const token = await svc.getToken(); throw new svc.ActionError({ message: "refused", token, deep: [token] });`,
    fails: `await svc.getToken(); await svc.post({ endpoint: "/x", data: { a: 1 } });`,
  };
  const any =
    "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
  const flowConfigs = Object.entries(bodies).map(([syncName, body]) => ({
    ...{ type: "action", syncName, providerConfigKey: "bearer", models: [], runs: null },
    fileBody: {
      js: `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc) => { ${body} } };`,
      ts: "",
    },
  }));
  await platform.done("POST", "/sync/deploy", { flowConfigs, reconcile: false });
  const over = { "connection-id": "imported", "provider-config-key": "bearer" };
  await platform.done("POST", "/action/trigger", { action_name: "logs", input: {} }, over);
  for (const action_name of ["throws", "refuses"]) {
    await platform.refused("POST", "/action/trigger", { action_name, input: {} }, over);
  }
  // The provider's own words, which repeat the key, go to the caller and nowhere else.
  const failing = { action_name: "fails", input: {} };
  const { status } = await platform.plain("POST", "/action/trigger", failing, over);
  expect(status).toBe(424);
}
