import { type ErrorCode, errorTable, type RouteDefinition, routes } from "@jackfield/contract";
import type { ErrorNote } from "./error-notes.ts";

/** Every code of the error table with its status, its cause, what to do and which routes name it, as Markdown. */
export function writeErrorPage(notes: Readonly<Record<ErrorCode, ErrorNote>>): string {
  const known = Object.entries(errorTable).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const notesByCode = new Map<string, ErrorNote>(Object.entries(notes));
  const sections = known.flatMap(([code, [status, message]]) => [
    `## ${code}`,
    "",
    `**${status}** ${message}`,
    "",
    `Cause: ${notesByCode.get(code)?.cause}`,
    "",
    `Cure: ${notesByCode.get(code)?.cure}`,
    "",
    ...listRoutes(code),
  ]);
  return [
    "# Errors",
    "",
    'A failed call returns `{"error": {"code", "message", "errors"?}}`. The code stays the same between versions, so programs can rely on it. The message names the invalid value and what to do. `errors` lists each fault of the request.',
    "",
    "The caller has to fix errors with a status of 400 to 499. A status of 500 is a fault of the server: the answer has an id, and the process log has the reason for that id.",
    "",
    ...sections,
  ].join("\n");
}

function listRoutes(code: string): string[] {
  const naming = Object.values<RouteDefinition>(routes).filter((route) =>
    route.errors.some((named) => named === code),
  );
  if (naming.length === 0 || naming.length > 25) return [];
  const names = naming.map(({ method, path }) => `\`${method} ${path}\``);
  return [`Returned by ${names.join(", ")}.`, ""];
}
