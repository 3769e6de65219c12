import pg from "pg";

export interface StatementCounts extends Disposable {
  /** How often each text was sent. */
  readonly byText: Map<string, number>;
  /** Of the statement that was answered with the most of them. */
  mostRows: number;
}

/** Counts what this process sends to the database, by its text, and the rows that come back at once. */
export function countStatements(): StatementCounts {
  const byText = new Map<string, number>();
  const plain = pg.Client.prototype.query;
  Object.defineProperty(pg.Client.prototype, "query", {
    configurable: true,
    writable: true,
    value: function counted(this: pg.Client, first: unknown, ...rest: unknown[]) {
      const text = typeof first === "string" ? first : String(Object(first).text);
      byText.set(text, (byText.get(text) ?? 0) + 1);
      const result: unknown = Reflect.apply(plain, this, [first, ...rest]);
      if (result instanceof Promise) void result.then(noteRows, () => undefined);
      return result;
    },
  });
  const noteRows = (result: unknown) => {
    const { rows } = Object(result);
    if (Array.isArray(rows)) counts.mostRows = Math.max(counts.mostRows, rows.length);
  };
  const counts: StatementCounts = {
    byText,
    mostRows: 0,
    [Symbol.dispose]() {
      pg.Client.prototype.query = plain;
    },
  };
  return counts;
}
