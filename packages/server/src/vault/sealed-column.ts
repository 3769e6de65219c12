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
  /** Column of the key by which rows may lie on servers of their own: those of one value are changed in one statement. */
  readonly together?: string;
  /** SQL of the associated row. */
  readonly row: string;
  /** SQL of the associated environment. Default: the row's `environment_id`. */
  readonly environment?: string;
  /** Joined for `row` and `environment`. */
  readonly join?: string;
  /** SQL that holds for rows whose text was emptied on purpose; an empty text elsewhere is a fault. */
  readonly emptied?: string;
}
