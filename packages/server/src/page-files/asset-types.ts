import { extname } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};

/** Whether it names a file of a page, and not a compressed form of one or what else lies in its folder. */
export function isAssetName(name: string): boolean {
  return /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(name) && typeOfAsset(name) !== undefined;
}

export function typeOfAsset(name: string): string | undefined {
  return types[extname(name)];
}
