/** Folder of the built page: `index.html` and hashed files below `assets/`. Absent until it is built. */
export declare const pageFolder: URL;
