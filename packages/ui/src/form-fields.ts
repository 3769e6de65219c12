/** One value that the provider's entry asks for. */
export interface ProviderField {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly default_value?: string | undefined;
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly secret?: boolean | undefined;
  readonly automated?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly order?: number | undefined;
  readonly visible_when?: { readonly field: string; readonly equals: unknown } | undefined;
}

/** Where the value of a field goes. */
export type FieldTarget = "credentials" | "params" | "override";

export interface FormField {
  /** Unique in its form. */
  readonly id: string;
  readonly name: string;
  readonly target: FieldTarget;
  readonly label: string;
  readonly help: string | undefined;
  readonly example: string | undefined;
  readonly pattern: string | undefined;
  readonly format: string | undefined;
  readonly choices: readonly string[] | undefined;
  readonly initial: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly multiline: boolean;
  readonly prefix: string;
  readonly suffix: string;
  readonly visibleWhen: { readonly field: string; readonly equals: unknown } | undefined;
}

/** The fields of a part of a form that a person has to be asked for, in the order of the entry. */
export function toFields(
  target: FieldTarget,
  fields: Readonly<Record<string, ProviderField>>,
  labels: Readonly<Record<string, string>> = {},
): FormField[] {
  return Object.entries(fields)
    .filter(([, field]) => field.automated !== true && field.hidden !== true)
    .toSorted(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0))
    .map(([name, field]) => toField(target, name, field, labels[name]));
}

/** How a value of the entry is asked for. */
export function toField(
  target: FieldTarget,
  name: string,
  field: ProviderField,
  ownLabel?: string,
): FormField {
  return {
    id: `${target}-${name}`,
    name,
    target,
    label: ownLabel ?? readableTitle(field.title) ?? toWords(name),
    help: field.description,
    example: field.example,
    pattern: field.pattern,
    format: field.format,
    choices: field.enum,
    initial: field.default_value ?? "",
    required: field.optional !== true,
    secret: field.secret === true,
    multiline: /(private_?key|certificate)$/i.test(name),
    prefix: field.prefix ?? "",
    suffix: field.suffix ?? "",
    visibleWhen: field.visible_when,
  };
}

/** A title may be a template of the integration's settings, which this page does not know. */
function readableTitle(title: string | undefined): string | undefined {
  return title === undefined || /\$?\{/.test(title) ? undefined : title;
}

/** `apiKey` and `api_key` as `API key`. */
function toWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replace(/\b(api|arn|id|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type FormValues = Readonly<Record<string, string>>;

/** Fields whose condition holds, in chains too: one that hangs on a hidden field is hidden. */
export function listVisibleFields(
  fields: readonly FormField[],
  values: FormValues,
): readonly FormField[] {
  const isVisible = (field: FormField, seen: ReadonlySet<string>): boolean => {
    const { visibleWhen } = field;
    if (visibleWhen === undefined || seen.has(field.id)) return true;
    const other = fields.find(({ name }) => name === visibleWhen.field);
    if (other === undefined) return true;
    const wanted = [visibleWhen.equals].flat().map(String);
    return (
      wanted.includes(values[other.id] ?? "") && isVisible(other, new Set([...seen, field.id]))
    );
  };
  return fields.filter((field) => isVisible(field, new Set()));
}
