import { isSpecType, type Tool } from "@modelcontextprotocol/client";
import type { JsonSchema } from "#functions";
import { digestOf } from "#mcp";
import type { ListedTool, ToolHints } from "../upstream.ts";
import { cleanText } from "./clean-text.ts";

const LONGEST_TITLE = 100;
const LONGEST_DESCRIPTION = 1000;
/** Of one definition, as JSON. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 40;
const toolName = /^[A-Za-z0-9_./-]{1,128}$/;

/**
 * A tool of a list, with what nobody sees taken out of its texts; undefined for one that cannot be shown: no name that
 * a model could call, or a definition that is too large or too deep.
 */
export function cleanDefinition(listed: unknown): ListedTool | undefined {
  if (isDeeper(listed, DEEPEST) || !isSpecType.Tool(listed)) return undefined;
  const tool: Tool = listed;
  if (!toolName.test(tool.name)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations = {} } = tool;
  // Of all that somebody reads, as it came: an invisible character more is a change, too.
  const said = [name, title, description, inputSchema, outputSchema, annotations];
  if (Buffer.byteLength(JSON.stringify(said)) > MOST_BYTES) return undefined;
  const shownTitle = title ?? annotations.title;
  return {
    name,
    digest: digestOf(said.map((each) => each ?? null)).toString("hex"),
    definition: {
      name,
      ...(shownTitle === undefined ? {} : { title: cleanText(shownTitle, LONGEST_TITLE) }),
      description: cleanText(description ?? "", LONGEST_DESCRIPTION),
      inputSchema: { ...cleanSchema(inputSchema), type: "object" },
      ...(outputSchema === undefined ? {} : { outputSchema: cleanSchema(outputSchema) }),
      annotations: pickHints(annotations),
    },
  };
}

function pickHints(annotations: ToolHints): ToolHints {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    ...(readOnlyHint === undefined ? {} : { readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotentHint }),
    ...(openWorldHint === undefined ? {} : { openWorldHint }),
  };
}

/** Its shared parts under `definitions`, as all schemas here have them; what points elsewhere is dropped. */
function cleanSchema({ $defs, $schema: _, definitions, ...schema }: JsonSchema): JsonSchema {
  const shared = { ...Object(definitions), ...Object($defs) };
  const has = Object.keys(shared).length > 0;
  return cleanObject({ ...schema, ...(has ? { definitions: shared } : {}) });
}

function cleanObject(value: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
      if (key !== "$ref") return [[cleanText(key, LONGEST_TITLE), cleanValue(each)]];
      const local = typeof each === "string" ? toLocal(each) : undefined;
      return local === undefined ? [] : [[key, local]];
    }),
  );
}

function toLocal(reference: string): string | undefined {
  if (!reference.startsWith("#/")) return undefined;
  return cleanText(reference.replace(/^#\/\$defs\//, "#/definitions/"), LONGEST_DESCRIPTION);
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value, LONGEST_DESCRIPTION);
  if (Array.isArray(value)) return value.map(cleanValue);
  return typeof value === "object" && value !== null ? cleanObject({ ...value }) : value;
}

/** Without recursion: a stranger chooses the depth. */
export function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; at <= depth; at += 1) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
