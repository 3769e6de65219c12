import { cleanText, type Operation, presentOperation } from "@jackfield/functions/openapi";
import { exitCodes, UserError } from "../../user-error.ts";

/** Which operations are wanted: those that any of these names. */
export interface Selection {
  readonly all?: true;
  readonly tag?: readonly string[];
  /** Operation ids, names of actions, or method and path. */
  readonly operation?: readonly string[];
  /** Beginnings of paths. */
  readonly path?: readonly string[];
}

const LISTED = 40;

/** Throws a UserError for an empty selection, and for what the document does not have. */
export function selectOperations(
  operations: readonly Operation[],
  { all, tag = [], operation = [], path = [] }: Selection,
): readonly Operation[] {
  if (all === true) return operations;
  if (tag.length + operation.length + path.length === 0) throw nothingChosen(operations);
  const wanted = [
    ...tag.map((each) => toWanted(`tag ${each}`, (one) => one.tags.includes(each))),
    ...operation.map((each) => toWanted(`operation ${each}`, (one) => isNamed(one, each))),
    ...path.map((each) => toWanted(`path ${each}`, (one) => one.path.startsWith(each))),
  ];
  for (const { what, matches } of wanted) {
    if (operations.some(matches)) continue;
    throw new UserError(`The document has no ${what}.`, { exitCode: exitCodes.usage });
  }
  return operations.filter((one) => wanted.some(({ matches }) => matches(one)));
}

export function isNamed(operation: Operation, name: string): boolean {
  return [operation.id, operation.action, presentOperation(operation)].includes(name);
}

function toWanted(what: string, matches: (one: Operation) => boolean) {
  return { what, matches };
}

function nothingChosen(operations: readonly Operation[]): UserError {
  const counts = new Map<string, number>();
  for (const tag of operations.flatMap(({ tags }) => tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const lines = [...counts].map(([tag, count]) => `  ${cleanText(tag, 80)} (${count})`);
  const more = lines.length > LISTED ? [`  and ${lines.length - LISTED} more`] : [];
  const tags =
    lines.length > 0 ? ` Its tags:\n${[...lines.slice(0, LISTED), ...more].join("\n")}` : "";
  return new UserError(
    `Say which of the document's ${operations.length} operations: --tag, --operation or --path, or --all.${tags}`,
    { exitCode: exitCodes.usage },
  );
}
