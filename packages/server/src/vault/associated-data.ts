/** Associated data (AAD) of AES-GCM: the row that a sealed text belongs to; it opens for no other row. */
export interface AssociatedData {
  readonly environmentId: string | null;
  readonly table: string;
  readonly column: string;
  /** Identity of the row, known before it is inserted. */
  readonly row: string;
}
