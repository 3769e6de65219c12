/** What the server says of one value. */
interface Detail {
  readonly path?: readonly (string | number)[];
  readonly message?: string;
}

interface PlacedFaults {
  /** What to say at each field, by the field's name. */
  readonly atFields: Readonly<Record<string, string>>;
  /** What belongs to no field of the form. */
  readonly rest: readonly Detail[];
}

/**
 * Puts what the server says of values at the fields that they come from. A field is named after the value, with `-` or
 * `_`, or `values` has the value's path.
 */
export function placeFaults(
  details: readonly Detail[],
  { names, values }: { names: readonly string[]; values: Readonly<Record<string, string>> },
): PlacedFaults {
  const atFields: Record<string, string> = {};
  const rest: Detail[] = [];
  for (const detail of details) {
    const steps = detail.path?.map(String) ?? [];
    const name = names
      .filter((each) => hasSteps(steps, pathOf(each, values)))
      .toSorted((a, b) => pathOf(b, values).length - pathOf(a, values).length)[0];
    if (name === undefined) rest.push(detail);
    else atFields[name] ??= toSentence(detail.message ?? "");
  }
  return { atFields, rest };
}

function pathOf(name: string, values: Readonly<Record<string, string>>): string {
  return values[name] ?? name.replaceAll("-", "_");
}

/** Whether the steps of a value's path follow one another in a longer path. */
function hasSteps(steps: readonly string[], value: string): boolean {
  return `.${steps.join(".")}.`.includes(`.${value}.`);
}

/** The server's messages are predicates: `must be a number`. */
export function toSentence(predicate: string): string {
  const text = `${predicate.slice(0, 1).toUpperCase()}${predicate.slice(1)}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** What the server says of values, with readable names in place of theirs; undefined where it says nothing of any. */
export function wordFaults(
  details: readonly Detail[],
  known: Readonly<Record<string, string>>,
): string | undefined {
  const sentences = details.flatMap(({ path = [], message }) => {
    const step = path.map(String).findLast((each) => !/^\d+$/.test(each));
    if (step === undefined || message === undefined) return [];
    return [toSentence(`${known[step] ?? step.replaceAll("_", " ")} ${message}`)];
  });
  return sentences.length === 0 ? undefined : sentences.join(" ");
}
