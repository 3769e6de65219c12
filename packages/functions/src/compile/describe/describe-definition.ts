import { normalizeEgress } from "@jackfield/contract";
import * as z from "zod";
import { CompileError } from "../diagnostic.ts";
import { type ActionDefinition, definition, type SyncDefinition } from "./definition.ts";

export interface DescribeSubject {
  readonly integrationId: string;
  readonly functionName: string;
  /** For messages. */
  readonly file?: string;
  /** Of the bundle; tells what the function uses. */
  readonly code: string;
}

interface Described {
  readonly description: string;
  readonly version?: string;
  readonly scopes: readonly string[];
  /** `checkpoints` when the code uses them. */
  readonly features: readonly string[];
  /** Hosts that it may send to, normalized; absent where the author names none. */
  readonly egress?: readonly string[];
  /** It never sees credentials. */
  readonly credentials?: "proxy-only";
  /** JSON Schemas (draft 7) by name: models, input, output, metadata. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

type Endpoint = z.output<typeof definition.sync>["endpoints"][number];

export interface SyncDescription extends Described {
  readonly type: "sync";
  /** As the author wrote it. */
  readonly frequency: string;
  readonly models: readonly string[];
  /** Name of the metadata's schema. */
  readonly input?: string;
  readonly autoStart: boolean;
  readonly syncType: "full" | "incremental";
  readonly trackDeletes: boolean;
  /** Absent: as the environment's settings say. */
  readonly onInvalidRecord?: "quarantine" | "save" | "fail";
  readonly hasWebhookHandler: boolean;
  readonly webhookSubscriptions: readonly string[];
  readonly endpoints: readonly Endpoint[];
}

export interface ActionDescription extends Described {
  readonly type: "action";
  readonly input: string;
  readonly output: string;
  /** What the author says of the action as a tool. */
  readonly agent?: NonNullable<ActionDefinition["agent"]>;
  readonly endpoints: readonly Endpoint[];
}

export interface OnEventDescription extends Described {
  readonly type: "on-event";
  readonly event: z.output<typeof definition.onEvent>["event"];
}

export type FunctionDescription = SyncDescription | ActionDescription | OnEventDescription;

/** What a definition says, as plain data; throws a CompileError that says what is wrong with it. */
export function describeDefinition(value: unknown, options: DescribeSubject): FunctionDescription {
  const parsed = z
    .discriminatedUnion("type", [definition.sync, definition.action, definition.onEvent])
    .safeParse(value);
  if (!parsed.success) throw toCompileError(options, parsed.error.issues.map(explainIssue));
  const defined = parsed.data;
  const described = {
    description: defined.description,
    ...(defined.version !== undefined && { version: defined.version }),
    features: /\.(get|save|clear)Checkpoint\b/.test(options.code) ? ["checkpoints"] : [],
    ...(defined.egress !== undefined && { egress: normalizeEgress(defined.egress) }),
    ...(defined.credentials !== undefined && { credentials: defined.credentials }),
  };
  switch (defined.type) {
    case "sync":
      return { ...described, ...describeSync(defined, options) };
    case "action":
      return { ...described, ...describeAction(defined, options) };
    case "on-event":
      return { ...described, type: "on-event", event: defined.event, scopes: [], definitions: {} };
  }
}

function describeSync(
  sync: SyncDefinition,
  options: DescribeSubject,
): Omit<SyncDescription, keyof Described> & Pick<Described, "scopes" | "definitions"> {
  const definitions = new Map<string, JsonSchema>();
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(sync.models)) {
    const jsonSchema = toJsonSchema(name, schema);
    definitions.set(name, jsonSchema);
    if (!hasTextId(jsonSchema)) {
      problems.push(`models.${name} needs an \`id\` that is text: z.object({ id: z.string(), … })`);
    }
  }
  if (problems.length > 0) throw toCompileError(options, problems);
  const input = schemaName("SyncMetadata", options);
  const { metadata } = sync;
  if (metadata !== undefined && !isVoid(metadata)) {
    definitions.set(input, toJsonSchema(input, metadata));
  }
  return {
    type: "sync",
    frequency: sync.frequency,
    models: Object.keys(sync.models),
    ...(definitions.has(input) && { input }),
    autoStart: sync.autoStart,
    syncType: sync.syncType,
    trackDeletes: sync.trackDeletes,
    ...(sync.onInvalidRecord !== undefined && { onInvalidRecord: sync.onInvalidRecord }),
    hasWebhookHandler: sync.onWebhook !== undefined,
    webhookSubscriptions: sync.webhookSubscriptions,
    endpoints: sync.endpoints,
    scopes: sync.scopes,
    definitions: Object.fromEntries(definitions),
  };
}

function describeAction(
  action: ActionDefinition,
  options: DescribeSubject,
): Omit<ActionDescription, keyof Described> & Pick<Described, "scopes" | "definitions"> {
  const input = schemaName("ActionInput", options);
  const output = schemaName("ActionOutput", options);
  return {
    type: "action",
    input,
    output,
    ...(action.agent !== undefined && { agent: action.agent }),
    endpoints: action.endpoint === undefined ? [] : [action.endpoint],
    scopes: action.scopes,
    definitions: {
      [input]: toJsonSchema(input, action.input),
      [output]: toJsonSchema(output, action.output),
    },
  };
}

function schemaName(prefix: string, options: DescribeSubject): string {
  const suffix = `${options.integrationId}_${options.functionName}`;
  return `${prefix}_${suffix.replace(/[^a-zA-Z0-9]/g, "_")}`;
}

function hasTextId(schema: JsonSchema): boolean {
  const shape = z.object({
    properties: z.object({ id: z.object({ type: z.literal("string") }) }),
    required: z.array(z.string()).refine((names) => names.includes("id")),
  });
  return shape.safeParse(schema).success;
}

function isVoid(schema: z.ZodType): boolean {
  return schema._zod.def.type === "void";
}

function explainIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join(".");
  const message = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return `${path === "" ? "" : `${path}: `}${message ?? issue.message}`;
}

export function toCompileError(
  options: DescribeSubject,
  problems: readonly string[],
): CompileError {
  const { file } = options;
  return new CompileError(
    problems.map((message) => (file === undefined ? { message } : { message, file })),
  );
}

type JsonSchema = Record<string, unknown>;

/** A zod schema as JSON Schema draft 7, to stand in a document as `#/definitions/<name>`. */
function toJsonSchema(name: string, schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { type } = zodSchema._zod.def;
      if (type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (type === "void") Object.assign(jsonSchema, { type: "null" });
    },
  });
  return mapReferences(converted, `#/definitions/${name}`);
}

/** The schema's own references are relative to itself; in the document it is one level down. */
function mapReferences(schema: JsonSchema, base: string): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "$ref" && typeof value === "string" && value.startsWith("#")) {
        return [key, base + value.slice(1)];
      }
      return [key, mapValue(value, base)];
    }),
  );
}

function mapValue(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapValue(item, base));
  return isJsonObject(value) ? mapReferences(value, base) : value;
}

function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
