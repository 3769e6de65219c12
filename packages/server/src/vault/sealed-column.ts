/**
 * A column of sealed texts, declared by the slice that seals them, so that all of them can be verified and
 * sealed again. SQL names the row `t`; `row` and `environment` must be the associated data that the slice uses.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The associated table, of texts that were moved from there. Default: `table`. */
  readonly sealedAs?: string;
  /** Primary key, in its order. */
  readonly key: readonly (readonly [column: string, type: "bigint" | "uuid" | "text"])[];
  /** By which rows may lie on servers of their own: those of one value are changed in one statement. */
  readonly together?: Together;
  /** SQL of the associated row. */
  readonly row: string;
  /** SQL of the associated environment. Default: the row's `environment_id`. */
  readonly environment?: string;
  /** Joined for `row` and `environment`. */
  readonly join?: string;
  /** SQL that holds for rows whose text was emptied on purpose; an empty text elsewhere is a fault. */
  readonly emptied?: string;
}

export interface Together {
  /** Of the key. */
  readonly column: "environment_id" | "model_id";
  /** The table of the first server that has its values as `id`. */
  readonly listedIn: "environments" | "record_directory";
}
