// Owns what tests of functions share: uploads, bundles, and the rows that functions hang on.
export { insertTestConnection, insertTestIntegration } from "./store.ts";
export { newAction, newBundle, newOnEvent, newSync, newUpload } from "./uploads.ts";
