import { type DeployedAction, listFunctions } from "#functions";
import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";

export interface ActionTool {
  readonly fn: DeployedAction;
  /** The action takes no input, whatever the model sends. */
  readonly isWithoutInput: boolean;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
}

/** The enabled actions whose input is an object or nothing, by name. */
export async function listTools(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
): Promise<ActionTool[]> {
  const actions = await listFunctions(ctx, { integration, type: "action" });
  return actions.flatMap((fn) => (fn.enabled ? toTool(fn) : []));
}

const NO_INPUT = { type: "object", properties: {}, additionalProperties: false } as const;

function toTool(fn: DeployedAction): ActionTool[] {
  const { input, jsonSchema } = fn.definition;
  const schema = input === undefined ? undefined : jsonSchema[input];
  if (schema === undefined || schema["type"] === "null") {
    return [{ fn, isWithoutInput: true, inputSchema: NO_INPUT }];
  }
  if (schema["type"] !== "object") return [];
  // Schemas of one function may point at each other.
  const shared = JSON.stringify(schema).includes('"#/definitions/')
    ? { definitions: { ...jsonSchema } }
    : {};
  return [{ fn, isWithoutInput: false, inputSchema: { ...shared, ...schema, type: "object" } }];
}
