// Owns how the dashboard's files reach a browser: the page for each of its addresses, and the files below `assets/`.
export { dashboardFolder } from "./asset-files.ts";
export { dashboard } from "./slice.ts";
