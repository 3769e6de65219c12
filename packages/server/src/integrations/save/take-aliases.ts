import type { Alias, Field, Provider } from "@jackfield/catalogue";
import type { Credentials } from "#auth-modes";
import type { FieldFault } from "#foundation";
import { trimFieldValue } from "./find-field-fault.ts";

type Texts = Readonly<Record<string, string>>;
type Known = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Field>>;

/** The configuration of a connection under the entry's own names. */
export interface TakenConfig {
  readonly config: Record<string, string>;
  /** Values that were given under two names, differently; each path is the other name alone. */
  readonly faults: readonly FieldFault[];
}

/** Moves what is given under another name of a field of `connection_config` to the field's own name. */
export function takeAliases(
  { connection_config: all }: Pick<Provider, "connection_config">,
  given: Texts,
  isTaken: (name: string) => boolean = () => true,
): TakenConfig {
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => isTaken(name)));
  const { moved, rest, faults } = moveAliases(fields, given, given);
  return { config: { ...rest, ...moved }, faults };
}

/** Moves credentials under another name, and those that stand in the configuration, to the entry's own names. */
export function liftCredentials(
  { credentials: fields }: Pick<Provider, "credentials">,
  { credentials, config }: { readonly credentials: Credentials; readonly config: Texts },
): TakenConfig & { readonly credentials: Credentials } {
  const foreign = Object.entries(credentials).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && !Object.hasOwn(fields, entry[0]) && entry[0] !== "type",
  );
  const renamed = moveAliases(fields, Object.fromEntries(foreign), credentials);
  const known = { ...credentials, ...renamed.moved };
  const { moved, rest, faults } = moveAliases(fields, config, known);
  const kept = Object.entries(known).filter(
    ([name]) => Object.hasOwn(renamed.rest, name) || !foreign.some(([given]) => given === name),
  );
  return {
    credentials: { type: credentials.type, ...Object.fromEntries(kept), ...moved },
    config: rest,
    faults: [...renamed.faults, ...faults],
  };
}

function moveAliases(fields: Fields, given: Texts, known: Known) {
  const rest = { ...given };
  const moved: Record<string, string> = {};
  const faults: FieldFault[] = [];
  for (const [name, field] of Object.entries(fields)) {
    for (const alias of field.aliases) {
      const other = alias.name;
      const value = given[other]?.trim();
      delete rest[other];
      if (value === undefined || value === "") continue;
      const written = trimFieldValue(field, toOwnForm(alias, value));
      const own = moved[name] ?? known[name];
      if (typeof own !== "string" || own === "") moved[name] = written;
      else if (trimFieldValue(field, own) !== written) {
        const message = `differs from \`${name}\`, which is another name for it: send one of them`;
        faults.push({ path: [other], message });
      }
    }
  }
  return { moved, rest, faults };
}

function toOwnForm({ suffix, without }: Alias, given: string): string {
  let value = given;
  for (const text of without) {
    if (value.startsWith(text)) value = value.slice(text.length);
    if (value.endsWith(text)) value = value.slice(0, value.length - text.length);
  }
  return value.endsWith(suffix) ? value : value + suffix;
}

/** The configuration with each value under all names of its field, for code that knows the other ones. */
export function withAliases(
  provider: Pick<Provider, "connection_config" | "credentials">,
  config: Known,
  credentials: Known = {},
): Record<string, unknown> {
  return {
    ...listOtherNames(provider.connection_config, config),
    ...listOtherNames(provider.credentials, credentials),
    ...config,
  };
}

function listOtherNames(fields: Fields, values: Known): Record<string, string> {
  const named = Object.entries(fields).flatMap(([name, { aliases }]) => {
    const value = values[name];
    if (typeof value !== "string" || value === "") return [];
    return aliases.map(({ name: other, suffix }) => [other, withoutSuffix(value, suffix)]);
  });
  return Object.fromEntries(named);
}

function withoutSuffix(value: string, suffix: string): string {
  return value.endsWith(suffix) ? value.slice(0, value.length - suffix.length) : value;
}
