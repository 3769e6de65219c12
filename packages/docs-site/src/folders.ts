import { fileURLToPath } from "node:url";

const packageUrl = new URL("../", import.meta.url);

export const root = fileURLToPath(packageUrl);
/** Where the pages stand as the generator reads them. */
export const stageFolder = fileURLToPath(new URL(".build-pages/", packageUrl));
/** Where the generator writes, before it takes the place of `dist/`. */
export const outputFolder = fileURLToPath(new URL(".build-site/", packageUrl));
export const siteFolder = fileURLToPath(new URL("dist/", packageUrl));
export const docsFolder = fileURLToPath(new URL("../../docs/", packageUrl));
export const repository = fileURLToPath(new URL("../../", packageUrl));
/** There while a build runs: the generator has one folder for its own work. */
export const lockFolder = fileURLToPath(new URL(".build-lock/", packageUrl));
