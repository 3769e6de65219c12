// Owns JSON as bytes: written in one order, and looked at without being made into values. A door of its own, light
// enough for a thread that needs nothing else.
export { explainJson, type JsonOddities, scanJson, scanLongJson } from "./scan-json.ts";
export { toSortedJson, toSortedParts, WrittenJson, writeSorted } from "./sorted-json.ts";
