import type { AnswerOf } from "./api.ts";
import type { Integration } from "./integrations.ts";

/** What an integration is set up with; each group has the name that it has in a change. */
export type FieldGroups = NonNullable<Integration["fields"]>;
export type GroupName = keyof FieldGroups;
export type SetFields = FieldGroups[GroupName];

/** The fields of a provider that has no integration yet. */
export type FullProvider = AnswerOf<"getProvider">["data"];

/** The name of a field in a form: the path of its value in the call. */
export function nameOfField(group: GroupName, name: string): string {
  return `${group}.${name}`;
}

/** The name of the toggle that takes an optional secret away. */
export function nameOfRemoval(group: GroupName, name: string): string {
  return `${nameOfField(group, name)} removed`;
}

type Values = Record<string, string>;

/** What a form changes of a group: values that differ, secrets that were typed, and an empty text for what is removed. */
export function readChange(form: FormData, group: GroupName, fields: SetFields): Values {
  const changed: Values = {};
  for (const [name, { secret, value = "" }] of Object.entries(fields)) {
    const typed = form.get(nameOfField(group, name));
    if (typeof typed !== "string") continue;
    if (form.has(nameOfRemoval(group, name))) changed[name] = "";
    else if (typed !== (secret === true ? "" : value)) changed[name] = typed;
  }
  return changed;
}

/** What was entered of a group. */
export function readEntered(form: FormData, group: GroupName, names: readonly string[]): Values {
  const entered = names.map((name) => [name, String(form.get(nameOfField(group, name)) ?? "")]);
  return Object.fromEntries(entered.filter(([, value]) => value !== ""));
}

interface AskedField {
  readonly automated?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly order: number;
}

/** The fields that a person is asked for, in their order. */
export function listAsked<Field extends AskedField>(
  fields: Readonly<Record<string, Field>>,
): (readonly [string, Field])[] {
  return Object.entries(fields)
    .filter(([, field]) => field.automated !== true && field.hidden !== true)
    .toSorted(([, one], [, other]) => one.order - other.order);
}

/**
 * The field to begin with, by the name in the address; where no field has that name, the first that is missing, or the
 * first secret.
 */
export function findFocus(
  groups: FieldGroups,
  wanted: string | undefined,
): { readonly group: GroupName; readonly name: string } | undefined {
  if (wanted === undefined) return undefined;
  const all = (["credentials", "integration_config", "custom"] as const).flatMap((group) =>
    listAsked(groups[group]).map(([name, field]) => ({ group, name, field })),
  );
  return (
    all.find(({ name }) => name === wanted) ??
    all.find(({ field }) => field.optional !== true && !field.is_set) ??
    all.find(({ field }) => field.secret === true)
  );
}
