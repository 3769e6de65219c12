// Owns how the dashboard's files reach a browser: the page for each of its addresses, and the files below `assets/`.
// Tables: none.
export { dashboard } from "./slice.ts";
