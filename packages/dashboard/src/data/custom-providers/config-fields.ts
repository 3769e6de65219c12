import type { Entry } from "./entry-modes.ts";

/** What a form asks of a field of `connection_config`; what else the entry says of it is kept. */
export const configParts = ["title", "description", "pattern", "example"] as const;
export type ConfigPart = (typeof configParts)[number];

/** A value that end users enter when they connect. */
export interface ConfigField {
  /** Within the form. */
  readonly id: number;
  readonly name: string;
  readonly field: Readonly<Record<string, unknown>>;
}

export function readConfigFields({ connection_config: config }: Entry): readonly ConfigField[] {
  return Object.entries(Object(config)).map(([name, field], id) => ({
    id,
    name,
    field: Object(field),
  }));
}

/**
 * The entry with these fields, in this order. Of two with one name the later one gets a blank behind it, which no name
 * may have: neither is lost, and the entry is not valid.
 */
export function withConfigFields(entry: Entry, fields: readonly ConfigField[]): Entry {
  const { connection_config: _before, ...others } = entry;
  if (fields.length === 0) return others;
  const config: Record<string, unknown> = {};
  for (const { name, field } of fields) {
    let free = name;
    while (Object.hasOwn(config, free)) free += " ";
    config[free] = field;
  }
  return { ...others, connection_config: config };
}

/** The field with another text for a part; an empty one leaves it out. */
export function withPart(one: ConfigField, part: ConfigPart, text: string): ConfigField {
  const { [part]: _before, ...others } = one.field;
  return { ...one, field: text === "" ? others : { ...others, [part]: text } };
}

export function readPart({ field }: ConfigField, part: ConfigPart): string {
  const text = field[part];
  return typeof text === "string" ? text : "";
}

/** A name that no field has. */
export function newConfigField(fields: readonly ConfigField[]): ConfigField {
  const names = new Set(fields.map(({ name }) => name));
  let number = fields.length + 1;
  while (names.has(`field${number}`)) number += 1;
  const id = Math.max(-1, ...fields.map((one) => one.id)) + 1;
  return { id, name: `field${number}`, field: { title: "" } };
}

/** Where the form shows faults of the fields. */
export function configPaths(entry: Entry): readonly string[] {
  return readConfigFields(entry).flatMap(({ name }) =>
    configParts.map((part) => `connection_config.${name}.${part}`),
  );
}
