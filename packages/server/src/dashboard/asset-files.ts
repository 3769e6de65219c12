import { extname } from "node:path";
import { pageFolder } from "@jackfield/dashboard/assets";
import { serverState } from "#foundation";

/** Folder of the built page. */
export const dashboardFolder = serverState<URL>(() => pageFolder);

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Whether it names a file of the page, and not a compressed form of one or what else lies in its folder. */
export function isAssetName(name: string): boolean {
  return /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(name) && typeOfAsset(name) !== undefined;
}

export function typeOfAsset(name: string): string | undefined {
  return types[extname(name)];
}
