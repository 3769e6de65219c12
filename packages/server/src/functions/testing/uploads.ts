import { type Deployment, deployment } from "@jackfield/contract";
import type * as z from "zod";

type Upload = z.input<typeof deployment>;
type Flow = Upload["flowConfigs"][number];
type OnEvents = NonNullable<Upload["onEventScriptsByProvider"]>[number];

/** An upload as the contract's schema hands it on. */
export function newUpload(upload: Partial<Upload>): Deployment {
  return deployment.parse({ flowConfigs: [], reconcile: false, ...upload });
}

export function newSync(name: string, change: Partial<Flow> = {}): Flow {
  return {
    type: "sync",
    syncName: name,
    providerConfigKey: "crm",
    models: ["Contact"],
    runs: "every 5 minutes",
    auto_start: true,
    models_json_schema: { definitions: { Contact: { type: "object" } } },
    fileBody: newBundle("sync", ""),
    ...change,
  };
}

export function newAction(name: string, change: Partial<Flow> = {}): Flow {
  return {
    type: "action",
    syncName: name,
    providerConfigKey: "crm",
    models: [],
    runs: null,
    fileBody: newBundle("action", "return input;"),
    ...change,
  };
}

export function newOnEvent(name: string, integrationKey = "crm"): OnEvents {
  const event = "post-connection-creation";
  const fileBody = newBundle("on-event", "");
  return { providerConfigKey: integrationKey, scripts: [{ name, event, fileBody }] };
}

/** A CommonJS bundle whose `exec` has this body; `svc` and `input` are in scope. */
export function newBundle(type: string, execBody: string): { js: string; ts: string } {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: ${JSON.stringify(type)}, input: any, output: any, exec: async (svc, input) => { ${execBody} } };`;
  return { js, ts: `// ${execBody}` };
}
