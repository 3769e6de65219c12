/** A table as its rows are copied: of a partitioned one, each partition by itself. */
export interface TableHead {
  readonly schema: string;
  readonly name: string;
  /** Without generated ones. */
  readonly columns: readonly string[];
}

export interface Partition {
  readonly schema: string;
  readonly name: string;
  readonly parent: string;
  /** As SQL: `for values …`, or `default`. */
  readonly bound: string;
  /** What it is partitioned by itself, as SQL. */
  readonly key: string | null;
  /** Storage parameters, `name=value`. */
  readonly options: readonly string[] | null;
}

export interface SequenceValue {
  readonly schema: string;
  readonly name: string;
  readonly value: string;
}

/** What a database holds, piece by piece: partitions, then each table with its rows, then the sequences. */
export type DatabasePart =
  | { readonly kind: "partitions"; readonly partitions: readonly Partition[] }
  | ({ readonly kind: "table" } & TableHead)
  /** Of the table before, in Postgres' binary format of COPY. */
  | { readonly kind: "rows"; readonly bytes: Buffer }
  | { readonly kind: "table-end"; readonly rows: number }
  | { readonly kind: "sequences"; readonly sequences: readonly SequenceValue[] };
