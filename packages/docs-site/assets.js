/** Folder of the built site: pages, `assets/`, `llms.txt`. Absent until it is built. */
export const siteFolder = new URL("./dist/", import.meta.url);
/** Stands for the address of the site in its pages and scripts; who serves them puts the address in its place. */
export const basePlaceholder = "/__jackfield_docs__/";
