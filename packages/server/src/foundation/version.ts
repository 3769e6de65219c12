import { createRequire } from "node:module";

const manifest: { version: string } = createRequire(import.meta.url)("../../package.json");

/** Of this server, as in its package.json. */
export const { version } = manifest;
