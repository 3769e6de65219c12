import {
  recordDriftRoutes,
  recordFeedRoutes,
  recordHistoryRoutes,
  recordMetricRoutes,
  recordQuarantineRoutes,
  recordRoutes,
} from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { countBytes } from "./counting/count-bytes.ts";
import { expireDrift } from "./drift/note-fields.ts";
import { recordDriftHandlers } from "./drift/routes.ts";
import { joinOldFeedEntries } from "./feed/join-old-entries.ts";
import { recordFeedHandlers } from "./feed/routes.ts";
import { expireVersions } from "./history/expire-versions.ts";
import { recordHistoryHandlers } from "./history/routes.ts";
import { recordMetricHandlers } from "./metrics/routes.ts";
import { dropOldRecordCounts, recordCountTables } from "./metrics/tally-tables.ts";
import { expireQuarantine } from "./quarantine/release-records.ts";
import { recordQuarantineHandlers } from "./quarantine/routes.ts";
import { pruneOldRecords } from "./retention/prune-old-records.ts";
import { recordHandlers } from "./routes.ts";
import { recordRuntime } from "./runtime.ts";
import { recordTaskHandlers } from "./task-handlers.ts";
import { recordTasks } from "./tasks.ts";
import { expireOldTrackings } from "./tracking/expire-trackings.ts";

export const records = defineSlice({
  routes: [
    ...serveRoutes(recordRoutes, recordHandlers),
    ...serveRoutes(recordFeedRoutes, recordFeedHandlers),
    ...serveRoutes(recordHistoryRoutes, recordHistoryHandlers),
    ...serveRoutes(recordMetricRoutes, recordMetricHandlers),
    ...serveRoutes(recordQuarantineRoutes, recordQuarantineHandlers),
    ...serveRoutes(recordDriftRoutes, recordDriftHandlers),
  ],
  tasks: bindTasks(recordTasks, recordTaskHandlers),
  runtime: recordRuntime,
  daily: [
    pruneOldRecords,
    expireOldTrackings,
    countBytes,
    joinOldFeedEntries,
    expireQuarantine,
    expireDrift,
    expireVersions,
    dropOldRecordCounts,
  ],
  dayTables: recordCountTables,
  sealedColumns: [
    {
      table: "records",
      column: "payload",
      key: [
        ["model_id", "bigint"],
        ["record_id", "text"],
      ],
      together: { column: "model_id", listedIn: "record_directory" },
      row: "m.connection_uuid || '/' || m.model || '/' || t.record_id",
      environment: "m.environment_id",
      join: "join record_models m on m.id = t.model_id",
    },
    {
      table: "record_versions",
      column: "payload",
      // A version is sealed as it was in the table that it comes from.
      sealedAs: "records",
      key: [
        ["model_id", "bigint"],
        ["sequence", "bigint"],
      ],
      together: { column: "model_id", listedIn: "record_directory" },
      row: "m.connection_uuid || '/' || m.model || '/' || t.record_id",
      environment: "m.environment_id",
      join: "join record_models m on m.id = t.model_id",
    },
    {
      table: "record_quarantine_samples",
      column: "payload",
      key: [
        ["model_id", "bigint"],
        ["record_id", "text"],
      ],
      together: { column: "model_id", listedIn: "record_directory" },
      row: "m.connection_uuid || '/' || m.model || '/' || t.record_id",
      environment: "m.environment_id",
      join: "join record_models m on m.id = t.model_id",
    },
  ],
});
