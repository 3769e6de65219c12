// Owns the records that syncs save: change detection, order of changes, cursors, counts.
// Tables: record_models, records. Payloads are sealed; a model of a variant is stored as `Model::variant`.
export { clearRecords } from "./clear-records.ts";
export { countRecords } from "./count-records.ts";

export { deleteRecordsOfConnection } from "./delete-records-of-connection.ts";
export { type RecordsChanged, recordsChanged } from "./hooks.ts";
export { storedModel } from "./model.ts";
export { recordHandlers } from "./routes.ts";
export { recordRuntime } from "./runtime.ts";
export { recordSealedColumns } from "./sealed-columns.ts";
export { recordTaskHandlers } from "./task-handlers.ts";
export { recordTasks } from "./tasks.ts";
