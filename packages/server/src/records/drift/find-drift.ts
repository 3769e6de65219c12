import type { ExpectedField } from "./expected-fields.ts";
import type { FieldProfile, FieldType, TypeCount } from "./profile.ts";

type DriftFinding = "new_field" | "unexpected_type" | "type_changed" | "nulls_changed";

export interface DriftedField {
  readonly pointer: string;
  readonly isNamed: boolean | undefined;
  readonly expected: readonly FieldType[] | undefined;
  readonly types: readonly (TypeCount & { readonly type: FieldType })[];
  /** Of the values that the field could have had this week, and the week before; undefined without a sample. */
  readonly nullShare: number | undefined;
  readonly nullShareBefore: number | undefined;
  readonly missingShare: number | undefined;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly findings: readonly DriftFinding[];
}

/** Beyond it a difference of two weeks is not that of a few samples. */
const FEWEST_SAMPLES = 50;
const CHANGED_SHARE = 0.2;

/** The fields of a profile, with what differs from the schema or from before. */
export function findDrift(
  profile: FieldProfile,
  expect: ((pointer: string) => ExpectedField) | undefined,
): DriftedField[] {
  return Object.keys(profile.fields)
    .filter((pointer) => pointer !== "")
    .toSorted()
    .map((pointer) => describeField(profile, pointer, expect?.(pointer)));
}

function describeField(
  profile: FieldProfile,
  pointer: string,
  expected: ExpectedField | undefined,
): DriftedField {
  const counts = profile.fields[pointer] ?? {};
  const types = Object.entries(counts)
    .map(([type, count]) => ({ type: toType(type), ...count }))
    .toSorted((a, b) => b.total - a.total);
  const now = sharesOf(profile, pointer, ({ now }) => now);
  const before = sharesOf(profile, pointer, ({ before }) => before);
  const field = {
    pointer,
    types,
    isNamed: expected?.isNamed,
    expected: expected?.types && [...expected.types],
    nullShare: now?.nulls,
    nullShareBefore: before?.nulls,
    missingShare: now?.missing,
    firstMs: Math.min(...types.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...types.map(({ lastMs }) => lastMs)),
  };
  const findings: DriftFinding[] = [];
  if (expected?.isNamed === false) findings.push("new_field");
  const allowed = expected?.types;
  if (allowed !== undefined && types.some(({ type }) => !allowed.has(type))) {
    findings.push("unexpected_type");
  }
  if (hasNewType(types, allowed)) findings.push("type_changed");
  if (now !== undefined && before !== undefined) {
    const isSure = Math.min(now.samples, before.samples) >= FEWEST_SAMPLES;
    const change = Math.abs(now.nulls + now.missing - before.nulls - before.missing);
    if (isSure && change >= CHANGED_SHARE) findings.push("nulls_changed");
  }
  return { ...field, findings };
}

/** A type that came after another one, and that the schema does not expect; null is of any type. */
function hasNewType(
  types: DriftedField["types"],
  allowed: ReadonlySet<FieldType> | undefined,
): boolean {
  const values = types.filter(({ type }) => type !== "null");
  const firstMs = Math.min(...values.map((count) => count.firstMs));
  return values.some((count) => count.firstMs > firstMs && allowed?.has(count.type) !== true);
}

/** Of the objects or lists around a field, how many had null there, or nothing. */
function sharesOf(profile: FieldProfile, pointer: string, of: (count: TypeCount) => number) {
  const sum = (at: string, wanted: (type: string) => boolean) =>
    Object.entries(profile.fields[at] ?? {})
      .filter(([type]) => wanted(type))
      .reduce((total, [, count]) => total + of(count), 0);
  const around = pointer.slice(0, pointer.lastIndexOf("/"));
  const isItem = pointer.endsWith("/*");
  const values = sum(pointer, () => true);
  // Of a list each item is a value, and none is missing.
  const samples = isItem
    ? values
    : Math.max(
        values,
        sum(around, (type) => type === "object"),
      );
  if (samples === 0) return undefined;
  const nulls = sum(pointer, (type) => type === "null");
  return { samples, nulls: nulls / samples, missing: (samples - values) / samples };
}

/** Keys of a profile are types. */
function toType(type: string): FieldType {
  return type as FieldType;
}
