import type { FunctionDescription } from "@jackfield/functions/compile";
import * as z from "zod";
import type { BuiltFunction } from "../project/build-project.ts";

type Schema = Readonly<Record<string, unknown>>;

const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

/** A function as a Markdown page: what it does, when, and the fields that go in and come out. */
export function writeFunctionDocs({
  functionName,
  integrationId,
  description,
}: BuiltFunction): string {
  const facts = listFacts(integrationId, description).map(
    ([name, value]) => `| ${name} | ${value} |`,
  );
  const sections = listSchemas(description).map(([title, schema]) => writeSchema(title, schema));
  return [
    `# ${functionName}`,
    description.description,
    ["| | |", "|---|---|", ...facts].join("\n"),
    ...sections,
    "",
  ]
    .join("\n\n")
    .replace(/(?<!\n)\n+$/, "\n");
}

function listFacts(integration: string, description: FunctionDescription): [string, string][] {
  const common: [string, string][] = [
    ["Integration", integration],
    ["Type", description.type],
  ];
  if (description.version !== undefined) common.push(["Version", description.version]);
  if (description.scopes.length > 0) common.push(["Scopes", description.scopes.join(", ")]);
  switch (description.type) {
    case "sync": {
      common.push(["Runs", description.frequency]);
      common.push(["Starts by itself", description.autoStart ? "yes" : "no"]);
      common.push(["Models", description.models.join(", ")]);
      const events = description.webhookSubscriptions.join(", ");
      if (description.hasWebhookHandler) common.push(["Webhooks", events === "" ? "none" : events]);
      return common;
    }
    case "action":
      return common;
    case "on-event":
      return [...common, ["Event", description.event]];
  }
}

function listSchemas(description: FunctionDescription): [string, Schema][] {
  const { definitions } = description;
  const find = (title: string, name: string | undefined): [string, Schema][] => {
    const schema = name === undefined ? undefined : definitions[name];
    return schema === undefined ? [] : [[title, schema]];
  };
  switch (description.type) {
    case "sync":
      return [
        ...description.models.flatMap((model) => find(`Model \`${model}\``, model)),
        ...find("Metadata", description.input),
      ];
    case "action":
      return [...find("Input", description.input), ...find("Output", description.output)];
    case "on-event":
      return [];
  }
}

function writeSchema(title: string, schema: Schema): string {
  const object = objectSchema.safeParse(schema);
  if (!object.success || Object.keys(object.data.properties).length === 0) {
    return `## ${title}\n\n${describeType(schema)}`;
  }
  const { properties, required } = object.data;
  const rows = Object.entries(properties).map(([name, field]) => {
    const about = typeof field["description"] === "string" ? field["description"] : "";
    const cells = [
      `\`${name}\``,
      describeType(field),
      required.includes(name) ? "yes" : "no",
      about,
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return [`## ${title}\n`, "| field | type | required | |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function describeType(schema: Schema): string {
  const { type, format, items, anyOf, $ref } = schema;
  const values = schema["enum"];
  if (typeof $ref === "string") return $ref.split("/").at(-1) ?? "object";
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(anyOf))
    return anyOf.map((option) => describeType(toSchema(option))).join(" or ");
  if (type === "array") return `list of ${describeType(toSchema(items))}`;
  if (type === "null") return "nothing";
  const name = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "any";
  return typeof format === "string" ? `${name} (${format})` : name;
}

function toSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}
