/**
 * A column of sealed texts, told by the slice that seals them, so that all of them can be verified and
 * sealed anew. SQL names the row `t`; the place must be the one that the slice seals at.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Primary key, in its order. */
  readonly key: readonly (readonly [column: string, type: "bigint" | "uuid" | "text"])[];
  /** SQL of the place's row. */
  readonly row: string;
  /** SQL of the place's environment. Default: the row's `environment_id`. */
  readonly environment?: string;
  /** Joined for `row` and `environment`. */
  readonly join?: string;
}
