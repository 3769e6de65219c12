import { type Deployment, deployment, type FunctionBundle } from "@jackfield/contract";
import type * as z from "zod";
import { AppError } from "#foundation";

type Artifact = FunctionBundle["functions"][number];
type Upload = z.input<typeof deployment>;
type Flow = Upload["flowConfigs"][number];
type OnEvents = NonNullable<Upload["onEventScriptsByProvider"]>[number];

const events = [
  "post-connection-creation",
  "pre-connection-deletion",
  "validate-connection",
] as const;

/**
 * A bundle of compiled functions as the upload of a deployment: without a trigger an action, on a
 * schedule a sync, on an event an on-event function. Throws validation_error.
 */
export function toDeployment({
  reconciliationScope: scope,
  functions,
}: FunctionBundle): Deployment {
  requireScope({ reconciliationScope: scope, functions });
  const named = scope.kind === "integration" ? [{ providerConfigKey: scope.integrationId }] : [];
  const upload: Upload = {
    flowConfigs: functions.flatMap(toFlow),
    onEventScriptsByProvider: [
      ...functions.flatMap(toOnEvent),
      // Names the integration even when it is to lose all of its functions.
      ...named.map((integration) => ({ ...integration, scripts: [] })),
    ],
    reconcile: true,
    deployMode: scope.kind === "environment" ? "all" : "integration",
  };
  const parsed = deployment.safeParse(upload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("validation_error", `${issue?.path.join(".")}: ${issue?.message}`);
}

function requireScope({ reconciliationScope: scope, functions }: FunctionBundle): void {
  const seen = new Set<string>();
  for (const fn of functions) {
    const key = JSON.stringify([fn.integrationId, fn.trigger.kind, fn.name]);
    if (seen.has(key)) refuse(fn, "is in the bundle twice.");
    seen.add(key);
    if (scope.kind === "integration" && fn.integrationId !== scope.integrationId) {
      refuse(fn, `is outside of the bundle's scope, the integration "${scope.integrationId}".`);
    }
  }
}

function toFlow(fn: Artifact): Flow[] {
  const { trigger } = fn;
  if (trigger.kind === "event") return [];
  if (trigger.kind === "http") {
    return refuse(
      fn,
      "has a trigger of kind http, which is not offered: write a sync's onWebhook.",
    );
  }
  const shared = {
    syncName: fn.name,
    providerConfigKey: fn.integrationId,
    ...(fn.version === undefined ? {} : { version: fn.version }),
    metadata: fn.description === undefined ? {} : { description: fn.description },
    models_json_schema: { definitions: fn.json_schema?.definitions ?? {} },
    features: usesCheckpoints(fn) ? ["checkpoints"] : [],
    fileBody: fn.fileBody,
  };
  if (trigger.kind === "none") {
    const [input] = toNames([fn.input_schema_ref]);
    const models = toNames([fn.output_schema_ref]);
    return [{ ...shared, type: "action", models, runs: null, ...(input && { input }) }];
  }
  const [input] = toNames([fn.metadata_schema_ref]);
  return [
    {
      ...shared,
      type: "sync",
      models: toNames(fn.model_schema_refs ?? []),
      runs: trigger.frequency,
      auto_start: trigger.autoStart ?? false,
      ...(input && { input }),
    },
  ];
}

function toOnEvent(fn: Artifact): OnEvents[] {
  if (fn.trigger.kind !== "event") return [];
  const [given, ...others] = fn.trigger.events;
  const event = events.find((known) => known === given);
  if (event === undefined || others.length > 0) {
    return refuse(fn, `needs exactly one event: ${events.join(", ")}.`);
  }
  const { name, fileBody } = fn;
  return [{ providerConfigKey: fn.integrationId, scripts: [{ name, event, fileBody }] }];
}

function usesCheckpoints(fn: Artifact): boolean {
  const has = (fn.checkpoint_schema_ref ?? null) !== null;
  const says = fn.capabilities?.["usesCheckpoints"];
  if (has && says === false) {
    return refuse(fn, "has a checkpoint's schema, and says that it uses no checkpoints.");
  }
  return has || says === true;
}

function toNames(references: readonly (string | null | undefined)[]): string[] {
  return references
    .filter((reference) => typeof reference === "string")
    .map((reference) => reference.slice("#/definitions/".length));
}

function refuse({ name, integrationId }: Artifact, problem: string): never {
  throw new AppError("validation_error", `The function "${name}" of "${integrationId}" ${problem}`);
}
