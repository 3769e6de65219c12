import type { FormField } from "./form-fields.ts";

/** A failure that the person can do something about, in words for them. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** Faults of single fields by field id. */
  readonly faults: ReadonlyMap<string, string>;
}

/** An error as the API words it. */
export interface Failure {
  readonly type: string;
  readonly message: string;
  readonly details: readonly {
    readonly path?: readonly (string | number)[];
    readonly message?: string;
  }[];
}

/** What a page says of failures, by error type; others show the server's message. */
export interface FailureTexts {
  readonly failedTitle: string;
  readonly failureTitles: ReadonlyMap<string, string>;
  readonly failures: ReadonlyMap<string, { readonly title: string; readonly text: string }>;
  /** Sentences of the server in the page's language, where it has them. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** The failure in the page's words, with its faults at the fields that they are of. */
export function toProblem(
  error: Failure,
  fields: readonly FormField[],
  texts: FailureTexts,
): Problem {
  const known = texts.failures.get(error.type);
  return {
    type: error.type,
    title: known?.title ?? texts.failureTitles.get(error.type) ?? texts.failedTitle,
    text: known?.text ?? texts.refusals.get(error.message) ?? error.message,
    faults: findFaults(error, fields),
  };
}

function findFaults({ details }: Failure, fields: readonly FormField[]): Map<string, string> {
  const faults = new Map<string, string>();
  for (const { path = [], message } of details) {
    const field = fields.find(({ name }) => name === path.at(-1));
    if (field !== undefined && message !== undefined) faults.set(field.id, message);
  }
  return faults;
}
