// The server as a library: what the CLI and tests start.
export { type Config, readConfig } from "#config";
export { Secret } from "#platform";
export { type BackupReport, type BackupRequest, backUp } from "./back-up.ts";
export { changeQuarantine } from "./change-quarantine.ts";
export { type CreatedKey, createKey, type KeyRequest } from "./create-key.ts";
export { main } from "./main.ts";
export { type MigrationReport, migrateDatabase } from "./migrate-database.ts";
export { type MoveRequest, moveDatabase } from "./move-database.ts";
export { type RestoreReport, type RestoreRequest, restore } from "./restore.ts";
export { type RotationReport, type RotationRequest, rotateVault } from "./rotate-vault.ts";
export { type RunningServer, type StartOptions, startServer } from "./start-server.ts";
export { startThrowAwayServer } from "./start-throw-away-server.ts";
export { verifyVault } from "./verify-vault.ts";
