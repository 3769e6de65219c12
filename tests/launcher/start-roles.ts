import { join } from "node:path";
import { type PlatformProcess, startPlatformProcess } from "./platform-process.ts";

export interface RolesOptions {
  readonly databaseUrl: string;
  /** Folder above the data folder that all processes share. */
  readonly folder: string;
  readonly key: string;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts processes of one installation, each with the roles that it is given: `api`, `worker`. */
export function rolesOf({
  databaseUrl,
  folder,
  key,
  env,
}: RolesOptions): (roles: string) => Promise<PlatformProcess> {
  return async (roles) =>
    await startPlatformProcess({
      dataDir: join(folder, "data"),
      env: {
        SVC_DATABASE_URL: databaseUrl,
        SVC_BOOTSTRAP_KEY: key,
        SVC_ROLES: roles,
        SVC_LOG_LEVEL: "error",
        ...env,
      },
    });
}
