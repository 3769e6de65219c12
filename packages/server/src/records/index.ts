// Owns the records that syncs save: change detection, order of changes, cursors, counts.
// Tables: record_environments, record_directory, record_models, records, record_sightings, record_trackings, record_feeds,
// record_feed_models, record_feed_entries, record_feed_notes, record_histories, record_versions, record_quarantine_reasons, quarantined_records, record_quarantine_samples,
// record_drift, record_minutes, record_hours (partitioned by day). Payloads are sealed; a model of a variant is stored as `Model::variant`.

export { countChangedRecords } from "./counting/count-changed-records.ts";
export { countRecords, countRecordsOf } from "./counting/count-records.ts";
export { flushDrift } from "./drift/note-fields.ts";
export { recordDriftHandlers } from "./drift/routes.ts";
export { clearRecords } from "./erasure/clear-records.ts";
export { deleteRecordsOfConnections } from "./erasure/delete-records-of-connections.ts";
export { dropRecordsAtLast, dropRecordsLater } from "./erasure/drop-environment.ts";
export { eraseRecords } from "./erasure/erase-records.ts";
export { findFeedPosition, writeFeedCursor } from "./feed/feed-cursor.ts";
export { nameSources } from "./feed/name-sources.ts";
export { noteChanges } from "./feed/note-changes.ts";
export { FeedReader, type FeedStep } from "./feed/read-feed.ts";
export { type FeedHead, findWaitingSince, renewFeeds } from "./feed/store.ts";
export { type RecordsChanged, recordsChanged } from "./hooks.ts";
export { flushRecordTallies } from "./metrics/record-tallies.ts";
export { isStoredAs, storedModel } from "./model.ts";
export { recordQuarantineHandlers } from "./quarantine/routes.ts";
export { recordHandlers } from "./routes.ts";
export { readTarget, recordRuntime } from "./runtime.ts";
export { records } from "./slice.ts";
export { findPartition } from "./store.ts";
export { type AllowedDeletes, allowDeletes, listRefusedDeletes } from "./tracking/delete-guard.ts";
export { settleTracking, startTracking } from "./tracking/track-deletes.ts";
export { takeBackRecords } from "./writing/take-back-records.ts";
