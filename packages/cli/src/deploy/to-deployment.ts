import type { deployment } from "@jackfield/contract";
import type { ProjectFile } from "@jackfield/functions/compile";
import type * as z from "zod";
import type { BuiltFunction } from "../project/build-project.ts";
import { presentFile, shorten } from "../project/select-function.ts";
import { exitCodes, UserError } from "../user-error.ts";
import { readVersion } from "../version.ts";

export type DeploymentBody = z.input<typeof deployment>;
type FlowBody = DeploymentBody["flowConfigs"][number];
type OnEventBody = NonNullable<DeploymentBody["onEventScriptsByProvider"]>[number];

/** What of a project is deployed: one function, one integration or everything. */
export interface Selection {
  readonly integration: string | undefined;
  readonly sync: string | undefined;
  readonly action: string | undefined;
}

/** The body of a deployment; functions outside the selection stay untouched. */
export function toDeployment(
  functions: readonly BuiltFunction[],
  selection: Selection,
): DeploymentBody {
  const isSingle = selection.sync !== undefined || selection.action !== undefined;
  const selected = functions.filter((fn) => isSelected(fn, selection));
  requireSelected(functions, selected, selection);
  return {
    flowConfigs: selected.flatMap(toFlow),
    onEventScriptsByProvider: toOnEventScripts(selected),
    reconcile: !isSingle,
    deployMode: isSingle ? "single" : selection.integration === undefined ? "all" : "integration",
    sdkVersion: `${readVersion()}-zero`,
  };
}

function isSelected(fn: BuiltFunction, { integration, sync, action }: Selection): boolean {
  if (integration !== undefined && fn.integrationId !== integration) return false;
  if (sync !== undefined) return fn.description.type === "sync" && fn.functionName === sync;
  if (action !== undefined) return fn.description.type === "action" && fn.functionName === action;
  return true;
}

/** Throws a UserError when there is nothing to deploy, or more than one function by the name of one. */
export function requireSelected(
  all: readonly ProjectFile[],
  selected: readonly ProjectFile[],
  { integration, sync, action }: Selection,
): void {
  const what = [
    sync !== undefined && `the sync ${sync}`,
    action !== undefined && `the action ${action}`,
    integration !== undefined && `the integration ${integration}`,
  ].filter((part) => part !== false);
  if (selected.length === 0) {
    const names = shorten(all.map((file) => `  ${presentFile(file)}`));
    throw new UserError(`index.ts has nothing for ${what.join(" of ")}. It has:\n${names}`, {
      exitCode: exitCodes.usage,
    });
  }
  const owners = [...new Set(selected.map(({ integrationId }) => integrationId))];
  if ((sync === undefined && action === undefined) || owners.length === 1) return;
  throw new UserError(
    `${what.join(" of ")} is in several integrations (${owners.join(", ")}): add --integration <id>.`,
    { exitCode: exitCodes.usage },
  );
}

function toFlow(fn: BuiltFunction): FlowBody[] {
  const { description, bundle } = fn;
  if (description.type === "on-event") return [];
  const shared = {
    syncName: fn.functionName,
    providerConfigKey: fn.integrationId,
    ...(description.version !== undefined && { version: description.version }),
    ...(description.input !== undefined && { input: description.input }),
    metadata: { description: description.description, scopes: [...description.scopes] },
    endpoints: [...description.endpoints],
    models_json_schema: { definitions: { ...description.definitions } },
    features: [...description.features],
    ...toReach(description),
    fileBody: { js: bundle.code, ts: fn.source },
    sourceMap: bundle.sourceMap,
  };
  if (description.type === "action") {
    const { agent, output } = description;
    return [{ ...shared, type: "action", models: [output], runs: null, ...(agent && { agent }) }];
  }
  return [
    {
      ...shared,
      type: "sync",
      models: [...description.models],
      runs: description.frequency,
      auto_start: description.autoStart,
      track_deletes: description.trackDeletes,
      ...(description.onInvalidRecord && { on_invalid_record: description.onInvalidRecord }),
      sync_type: description.syncType,
      webhookSubscriptions: [...description.webhookSubscriptions],
    },
  ];
}

function toReach({ egress, credentials }: BuiltFunction["description"]) {
  return { ...(egress && { egress: [...egress] }), ...(credentials && { credentials }) };
}

function toOnEventScripts(functions: readonly BuiltFunction[]): OnEventBody[] {
  const byIntegration = new Map<string, OnEventBody["scripts"]>();
  for (const { integrationId, functionName, description, bundle, source } of functions) {
    if (description.type !== "on-event") continue;
    const scripts = byIntegration.get(integrationId) ?? [];
    scripts.push({
      name: functionName,
      event: description.event,
      ...toReach(description),
      fileBody: { js: bundle.code, ts: source },
      sourceMap: bundle.sourceMap,
    });
    byIntegration.set(integrationId, scripts);
  }
  return [...byIntegration].map(([providerConfigKey, scripts]) => ({ providerConfigKey, scripts }));
}
