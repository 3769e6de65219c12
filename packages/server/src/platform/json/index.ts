// JSON as bytes. A door of its own, light enough for a thread that needs nothing else.
export { toSortedBytes, toSortedJson, WrittenJson, writeSorted } from "./sorted-json.ts";
