import { type Deployment, deployment } from "@jackfield/contract";
import type * as z from "zod";
import { AppError } from "#foundation";
import type { Compiled } from "./compile-source.ts";

type Upload = z.input<typeof deployment>;
type Flow = Upload["flowConfigs"][number];

export interface CompiledFunction {
  readonly compiled: Compiled;
  readonly source: string;
  readonly integrationKey: string;
  readonly functionName: string;
  readonly version: string | undefined;
}

/** A compiled text as the upload that the CLI would make of it; nothing else is removed by it. */
export function toUpload(fn: CompiledFunction): Deployment {
  const { description, code, sourceMap } = fn.compiled;
  const { egress, credentials } = description;
  const reach = { ...(egress && { egress: [...egress] }), ...(credentials && { credentials }) };
  const file = { ...reach, fileBody: { js: code, ts: fn.source }, sourceMap };
  const base = { reconcile: false, deployMode: "single", source: "standalone" } as const;
  if (description.type === "on-event") {
    const scripts = [{ name: fn.functionName, event: description.event, ...file }];
    return parse({
      ...base,
      flowConfigs: [],
      onEventScriptsByProvider: [{ providerConfigKey: fn.integrationKey, scripts }],
    });
  }
  const version = fn.version ?? description.version;
  const shared = {
    syncName: fn.functionName,
    providerConfigKey: fn.integrationKey,
    ...(version === undefined ? {} : { version }),
    ...(description.input === undefined ? {} : { input: description.input }),
    metadata: { description: description.description, scopes: description.scopes },
    endpoints: description.endpoints,
    models_json_schema: { definitions: description.definitions },
    features: description.features,
    ...file,
  };
  if (description.type === "action") {
    const { agent, output } = description;
    const action = { ...shared, models: [output], runs: null, ...(agent && { agent }) };
    return parse({ ...base, flowConfigs: [{ ...action, type: "action" }] });
  }
  const flow: Flow = {
    ...shared,
    type: "sync",
    models: description.models,
    runs: description.frequency,
    auto_start: description.autoStart,
    track_deletes: description.trackDeletes,
    ...(description.onInvalidRecord && { on_invalid_record: description.onInvalidRecord }),
    sync_type: description.syncType,
    webhookSubscriptions: description.webhookSubscriptions,
  };
  return parse({ ...base, flowConfigs: [flow] });
}

/** The description is the function's own word, so that it is held to the rules of any upload. */
function parse(upload: Upload): Deployment {
  const parsed = deployment.safeParse(upload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError(
    "compilation_error",
    `The function cannot be deployed: ${issue?.path.join(".")} ${issue?.message}`,
  );
}
