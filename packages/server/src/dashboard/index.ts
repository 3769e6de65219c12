// Owns how the dashboard's files reach a browser: the page for each of its addresses, and the files below `assets/`, also
// those of other builds. Tables: dashboard_files.
export { dashboardFolder } from "./asset-files.ts";
export { keepFiles } from "./kept-files.ts";
export { dashboard } from "./slice.ts";
