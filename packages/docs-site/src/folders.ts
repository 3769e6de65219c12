import { fileURLToPath } from "node:url";

const packageUrl = new URL("../", import.meta.url);

export const root = fileURLToPath(packageUrl);
// Two builds at once, of tests and of a package, do not meet.
/** Where the pages stand as the generator reads them. */
export const stageFolder = fileURLToPath(new URL(`.build-pages-${process.pid}/`, packageUrl));
/** Where the generator writes, before it takes the place of `dist/`. */
export const outputFolder = fileURLToPath(new URL(`.build-site-${process.pid}/`, packageUrl));
export const siteFolder = fileURLToPath(new URL("dist/", packageUrl));
export const docsFolder = fileURLToPath(new URL("../../docs/", packageUrl));
export const repository = fileURLToPath(new URL("../../", packageUrl));
