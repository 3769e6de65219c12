import { getEnvironmentSettings } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import {
  type ActionTool,
  annotate,
  getCachedAction,
  listFunctions,
  type ShownTool,
  toActionTool,
  whyNoTool,
} from "#functions";
import type { Integration } from "#integrations";
import { handleSchema } from "./results/present-result.ts";
import { readResultTool } from "./results/read-result.ts";

const READER = "read_result";

/** The integration's actions that are tools, by name. */
export async function listTools(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
): Promise<ActionTool[]> {
  const actions = await listFunctions(ctx, { integration, type: "action" });
  return actions.filter((fn) => whyNoTool(fn) === undefined).map(toActionTool);
}

/** One tool by its name; undefined where there is none. */
export async function findTool(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
  name: string,
): Promise<ActionTool | undefined> {
  const fn = await getCachedAction(ctx, { integration, name });
  return fn === undefined || whyNoTool(fn) !== undefined ? undefined : toActionTool(fn);
}

const readerNames = defineCache<string>({ maxEntries: 10_000 });

/** The name of the tool that reads stored results: an action of that name comes first. */
export async function nameReader(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id">,
): Promise<string> {
  const { id } = ctx.environment;
  const load = async () => {
    const taken = await findTool(ctx, integration, READER);
    const value = taken === undefined ? READER : `jackfield_${READER}`;
    return { value, rows: [`functions ${id}`] };
  };
  return (await readerNames.find(ctx, `${id}/${integration.id}`, load)) ?? READER;
}

/** Whether an output that does not fit its schema fails the call: only then may a tool promise one. */
export async function holdsOutputs(ctx: EnvironmentContext): Promise<boolean> {
  return (await getEnvironmentSettings(ctx)).validation.output === "fail";
}

/** A tool as tools/list shows it. */
export function describeTool(
  tool: ShownTool,
  { name, isStructured }: { name: string; isStructured: boolean },
) {
  const { description, hints, inputSchema, outputSchema } = tool;
  const annotations = annotate(tool);
  return {
    name,
    ...(hints.title === undefined ? {} : { title: hints.title }),
    ...(description === "" ? {} : { description }),
    inputSchema: asJson(inputSchema),
    ...(isStructured && outputSchema !== undefined
      ? { outputSchema: asJson(orHandle(outputSchema)) }
      : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

export function describeReader(name: string) {
  const { inputSchema, ...tool } = readResultTool;
  return { name, ...tool, inputSchema: asJson(inputSchema) };
}

/** A long output is answered by its start and a handle. */
function orHandle({ definitions, ...schema }: ActionTool["inputSchema"]) {
  return {
    type: "object" as const,
    anyOf: [schema, handleSchema],
    ...(definitions === undefined ? {} : { definitions }),
  };
}

// A schema is JSON from a deployment; the protocol's type names its parts.
function asJson(schema: { readonly type: "object" }): { type: "object" } {
  return schema;
}
