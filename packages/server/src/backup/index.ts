// Owns the file of a backup: its content, in which order, compressed and encrypted (age). No tables.
export { type BackupItem, type FileItem, isDatabasePart } from "./backup-item.ts";
export { type Inspection, inspectItems } from "./inspect-items.ts";
export { readBackup, writeBackup } from "./sealed-file.ts";
export { type OpeningKeys, requireClosingKeys, type SealingKeys } from "./sealing-keys.ts";
