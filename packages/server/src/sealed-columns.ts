import { actionSealedColumns } from "#actions";
import { connectSealedColumns } from "#connect";
import { connectionSealedColumns } from "#connections";
import { environmentSealedColumns } from "#environments";
import { functionSealedColumns } from "#functions";
import { integrationSealedColumns } from "#integrations";
import { recordSealedColumns } from "#records";
import { syncSealedColumns } from "#syncs";
import type { SealedColumn } from "#vault";
import { inboxSealedColumns } from "#webhooks-in";
import { webhookSealedColumns } from "#webhooks-out";

/** Every column that holds sealed texts; a test compares them with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  ...environmentSealedColumns,
  ...integrationSealedColumns,
  ...connectionSealedColumns,
  ...connectSealedColumns,
  ...functionSealedColumns,
  ...webhookSealedColumns,
  ...inboxSealedColumns,
  ...recordSealedColumns,
  ...syncSealedColumns,
  ...actionSealedColumns,
];
