// Owns encryption at rest: data keys per environment, wrapped by the master key ring; their rotation.
// Tables: data_keys, wrapped_data_keys, master_key_holders, vault_rotations. Opaque bytes in and out;
// which columns hold sealed texts it learns from their slices.

export type { AssociatedData } from "./associated-data.ts";
export { deriveKey } from "./derive-key.ts";
export { forgetDataKeys } from "./forget-data-keys.ts";
export { keyFileOf, prependNewKey, readKeyFile } from "./key-file.ts";
export { lookupHash } from "./lookup-hash.ts";
export { type MasterKeySource, openMasterKeyRing } from "./open-master-key-ring.ts";
export {
  changeMasterKey,
  describeKeyRing,
  isMasterKeyChanged,
} from "./rotation/change-master-key.ts";
export { startKeyKeeper } from "./rotation/key-keeper.ts";
export {
  isReplacingDataKeys,
  type ReplacingReport,
  replaceDataKeys,
} from "./rotation/replace-data-keys.ts";
export type { MasterKeyCounts, Progress } from "./rotation/store.ts";
export { lockMasterKeys } from "./rotation/store.ts";
export { type ColumnReport, verifySealed } from "./rotation/verify-sealed.ts";
export { open, openJson, seal, sealJson } from "./seal.ts";
export {
  createBatchSealer,
  createSealer,
  openMany,
  type SealedBatch,
  type TextToSeal,
} from "./seal-many.ts";
export type { SealedColumn } from "./sealed-column.ts";
export { hasDataKeys } from "./store.ts";
export { verifyMasterKey } from "./verify-master-key.ts";
