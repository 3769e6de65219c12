import { connectSealedColumns } from "#connect";
import { connectionSealedColumns } from "#connections";
import { environmentSealedColumns } from "#environments";
import { integrationSealedColumns } from "#integrations";
import { recordSealedColumns } from "#records";
import type { SealedColumn } from "#vault";
import { webhookSealedColumns } from "#webhooks-out";

/** Every column that holds sealed texts; a test compares them with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  ...environmentSealedColumns,
  ...integrationSealedColumns,
  ...connectionSealedColumns,
  ...connectSealedColumns,
  ...webhookSealedColumns,
  ...recordSealedColumns,
];
