import type { JsonSchema } from "#functions";

/** How a tool takes the account next to the action's own input. */
export interface AccountArgument {
  readonly schema: JsonSchema & { readonly type: "object" };
  /** The account, and the input as the action's own schema has it. */
  split(given: unknown): { account: unknown; input: unknown };
}

/** Keywords by which a schema says more of its object than its properties. */
const composed = ["oneOf", "anyOf", "allOf", "$ref", "not", "if"] as const;

/** The list of accounts has the rest: otherwise each tool would name all of them. */
const MOST_NAMED = 20;

/**
 * The schema with the required argument `account`, one of these. Where the action has a property of that name, or a
 * schema that other properties may not fit, its input is the property `input`.
 */
export function withAccount(
  schema: JsonSchema,
  accounts: readonly { readonly alias: string; readonly identity: string | undefined }[],
): AccountArgument {
  const account = {
    type: "string",
    ...(accounts.length <= MOST_NAMED
      ? { enum: accounts.map(({ alias }) => alias) }
      : { maxLength: 255 }),
    description: "Which of the user's accounts; ask the user where that is not clear",
  };
  const properties: Readonly<Record<string, unknown>> = { ...Object(schema["properties"]) };
  const isApart = "account" in properties || composed.some((key) => key in schema);
  if (isApart) {
    const { definitions, ...input } = schema;
    return {
      schema: {
        ...{ type: "object" as const, properties: { account, input } },
        required: ["account", "input"],
        ...(definitions === undefined ? {} : { definitions }),
      },
      split: (given) => ({ account: Object(given).account, input: Object(given).input }),
    };
  }
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const { examples: _, ...rest } = schema;
  return {
    schema: {
      ...rest,
      type: "object" as const,
      properties: { account, ...properties },
      required: ["account", ...required],
    },
    split: (given) => {
      const { account: named, ...input } = { ...Object(given) };
      return { account: named, input };
    },
  };
}
