/** Folder of the built site: pages, `assets/`, `llms.txt`. Absent until it is built. */
export declare const siteFolder: URL;
/** Stands for the address of the site in its pages and scripts; who serves them puts the address in its place. */
export declare const basePlaceholder: string;
