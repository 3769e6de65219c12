// Owns the files of the built pages, those of the dashboard and those for end users: which names they have, how they are
// sent, and those of other builds, which lie in the database. Tables: dashboard_files.
export { listAccepted } from "./accepted-encodings.ts";
export { isAssetName, typeOfAsset } from "./asset-types.ts";
export { keepPageFiles, sendKeptFile } from "./kept-files.ts";
export { pageFiles } from "./slice.ts";
