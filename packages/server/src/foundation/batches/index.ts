// Owns rows that come one by one and are written together.
export { BatchWriter, type RowQueue, RowsInOrder } from "./batch-writer.ts";
