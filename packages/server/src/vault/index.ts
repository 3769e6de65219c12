// Owns encryption at rest: data keys per environment, wrapped by the master key ring.
// Tables: data_keys. Opaque bytes in and out; knows nothing of what they hold.
export { deriveKey } from "./derive-key.ts";
export { lookupHash } from "./lookup-hash.ts";
export { openMasterKeyRing } from "./open-master-key-ring.ts";
export { open, openJson, type SealPlace, seal, sealJson } from "./seal.ts";
export { createSealer, openMany } from "./seal-many.ts";
export { hasDataKeys } from "./store.ts";
export { verifyMasterKey } from "./verify-master-key.ts";
