import type { ReactNode } from "react";

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}
