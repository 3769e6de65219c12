// The server as a library: what the CLI and tests start.
export { type Config, readConfig } from "#config";
export { Secret } from "#foundation";
export type { Simulator, StartSimulator } from "#simulator";
export { main } from "./main.ts";
export { type BackupReport, type BackupRequest, backUp } from "./operator/back-up.ts";
export { changeQuarantine } from "./operator/change-quarantine.ts";
export { type CreatedKey, createKey, type KeyRequest } from "./operator/create-key.ts";
export { type MigrationReport, migrateDatabase } from "./operator/migrate-database.ts";
export {
  type MoveLogsReport,
  type MoveLogsRequest,
  type MoveRequest,
  moveDatabase,
  moveLogs,
} from "./operator/move-database.ts";
export {
  disablePerson,
  grantPerson,
  listPersons,
  makeOpenLink,
  makeSetupLink,
  type Person,
  resetPerson,
} from "./operator/people-access.ts";
export { type RestoreReport, type RestoreRequest, restore } from "./operator/restore.ts";
export { type RotationReport, type RotationRequest, rotateVault } from "./operator/rotate-vault.ts";
export { verifyAudit } from "./operator/verify-audit.ts";
export { verifyVault } from "./operator/verify-vault.ts";
export { type RunningServer, type StartOptions, startServer } from "./start-server.ts";
export { startThrowAwayServer } from "./start-throw-away-server.ts";
