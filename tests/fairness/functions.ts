/** Functions with the same names in each environment; what they do is decided by what they are given. */
export function newDeployment(marksUrl: string, isGreedy: boolean): object {
  const act = (name: string, body: string) => ({
    ...flow(name),
    type: "action",
    models: [],
    runs: null,
    fileBody: bundle("action", `exec: async (svc, input) => { ${body} }`),
  });
  const mark = (name: string) => `await fetch(${JSON.stringify(`${marksUrl}/mark/`)} + ${name});`;
  const sleep = (ms: number) => `await new Promise((resolve) => setTimeout(resolve, ${ms}));`;
  const greedy = Array.from({ length: DISTINCT }, (_, nth) => [
    act(`loop-${nth}`, "const until = Date.now() + 3000; while (Date.now() < until);"),
    act(`sleep-${nth}`, sleep(5000)),
  ]).flat();
  const row = { definitions: { Row: { type: "object" } } };
  const sync = {
    ...flow("rows"),
    type: "sync",
    models: ["Row"],
    runs: "every day",
    auto_start: isGreedy,
    models_json_schema: row,
    webhookSubscriptions: ["*"],
    fileBody: bundle(
      "sync",
      `models: { Row: any }, exec: async (svc) => { ${isGreedy ? sleep(600_000) : mark("svc.connectionId")} },
       onWebhook: async (svc, payload) => { ${isGreedy ? sleep(2000) : mark("payload.mark")} }`,
    ),
  };
  const chatty = "for (let n = 0; n < 5000; n += 1) await svc.log('line ' + n);";
  const created = {
    name: "created",
    event: "post-connection-creation",
    fileBody: bundle(
      "on-event",
      `exec: async (svc) => { ${isGreedy ? sleep(5000) : mark("svc.connectionId")} }`,
    ),
  };
  return {
    reconcile: true,
    flowConfigs: [
      sync,
      act("mark", mark("input")),
      act("chatty", chatty),
      ...(isGreedy ? greedy : []),
    ],
    onEventScriptsByProvider: [{ providerConfigKey: "events", scripts: [created] }],
  };
}

/** Bundles that share no process. */
export const DISTINCT = 14;

const flow = (syncName: string) => ({ syncName, providerConfigKey: "api", version: "1" });

function bundle(type: string, rest: string): { js: string; ts: string } {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: ${JSON.stringify(type)}, event: "post-connection-creation", input: any, output: any, ${rest} };`;
  return { js, ts: "" };
}

/** Source text of an action that says where it is, then continues for so long. */
export function newSource(marksUrl: string, name: string, forMs: number): string {
  return `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Marks.",
  input: z.any(),
  output: z.any(),
  exec: async () => {
    await fetch("${marksUrl}/mark/${name}");
    await new Promise((resolve) => setTimeout(resolve, ${forMs}));
    return 1;
  },
});`;
}
