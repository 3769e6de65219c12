import { findSpanOfStatement, noSpan, type Span } from "../../instruments/index.ts";
import { findDatabaseAway } from "../sessions/database-away.ts";

/** More statements of one piece of work are counted instead, so that a loop over many rows does not fill its trace. */
const MOST_OF_A_SPAN = 200;
/** Where the operation and its table are found; statements may be as long as their lists. */
const READ_LENGTH = 2000;

/** The span of a statement of traced work. It says what kind of statement it is, never its text or values. */
export function beginStatement(text: string, name: string | undefined): Span {
  const found = findSpanOfStatement();
  if (found === undefined) return noSpan;
  const { span, number } = found;
  if (number > MOST_OF_A_SPAN) {
    span.set({ "svc.statements.left_out": number - MOST_OF_A_SPAN });
    return noSpan;
  }
  const { operation, table } = readStatement(text);
  // Without the day that a statement is about.
  const summary =
    name?.split("@", 1)[0] ?? (table === undefined ? operation : `${operation} ${table}`);
  return span.child(summary, {
    kind: "client",
    attributes: {
      "db.system.name": "postgresql",
      "db.operation.name": operation,
      "db.query.summary": summary,
      ...(table === undefined ? {} : { "db.collection.name": table }),
    },
  });
}

/** Notes SQLSTATE or the code of the system, never a message: it may hold values. */
export function failStatement(span: Span, error: unknown): void {
  const { code } = Object(error);
  if (findDatabaseAway(error) !== undefined) span.fail("database_away");
  else span.fail(typeof code === "string" ? code : "error");
}

/** The first word, and the first table that is named; ours are written without quotes or by kysely, with them. */
function readStatement(text: string): { operation: string; table: string | undefined } {
  const head = text.slice(0, READ_LENGTH);
  const [operation = "statement"] = /[a-z]+/i.exec(head) ?? [];
  const [, table] = /\b(?:from|into|update) "?([a-z_]\w*)/i.exec(head) ?? [];
  return { operation: operation.toUpperCase(), table };
}
