import type { Field } from "../schema/values.ts";
import type { Template } from "../templates/template.ts";

/** What a mode says of its entries beyond their schema. */
export interface EntryRules<Entry> {
  /** Credentials that templates may name next to those the entry declares. */
  readonly credentials: readonly string[];
  /** Fields of connection_config that the mode itself fills. */
  readonly config?: readonly string[];
  /** Credentials that every entry asks for, so that each has to tell what they look like. */
  readonly asks?: readonly string[];
  /** Entries of the mode have no vendor: the people who configure them know the facts. */
  readonly isGeneric?: true;
  /** Whether an entry may name a server of the Model Context Protocol, whose credentials go into headers. */
  readonly mayHaveMcp?: true;
  /** Fields of integration_config that are used without a template naming them. */
  readonly usesIntegration?: (entry: Entry) => readonly string[];
  check?(entry: Entry & { readonly integration_config: Readonly<Record<string, Field>> }): string[];
}

/** An option is one of its values, or one field of integration_config that can only be such. */
export function checkOption(
  fields: Readonly<Record<string, Field>>,
  name: string,
  template: Template,
  allowed: readonly string[],
): string[] {
  const [part, ...others] = template.parts;
  if (part === undefined || (typeof part === "string" && others.length === 0)) {
    return allowed.includes(template.text) ? [] : [`${name} is not one of ${allowed.join(", ")}`];
  }
  const reference =
    typeof part !== "string" && part.expression.kind === "reference"
      ? part.expression.reference
      : undefined;
  const field = reference?.scope === "integration" ? fields[reference.name] : undefined;
  const covered = field?.enum?.every((value) => allowed.includes(value)) === true;
  return covered && others.length === 0 && (field.default !== undefined || !field.optional)
    ? []
    : [`${name} needs one field whose enum holds only ${allowed.join(", ")}`];
}
