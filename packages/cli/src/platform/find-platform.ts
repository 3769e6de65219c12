import { readProjectSettings } from "../config.ts";
import type { Platform } from "../deploy/call-platform.ts";

/** The platform and key of an environment, as the project in this folder or the shell names them. */
export function findPlatform(environment: string): Platform {
  const { host, requireSecretKey } = readProjectSettings(process.cwd());
  return { host, key: requireSecretKey(environment) };
}

/** The platform, with the key of its account. */
export function findAccountPlatform(): Platform {
  const { host, requireAccountKey } = readProjectSettings(process.cwd());
  return { host, key: requireAccountKey() };
}
