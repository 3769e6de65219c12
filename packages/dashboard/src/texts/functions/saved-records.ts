import { counted } from "../counted.ts";

/** What a dry run would have written. */
const english = {
  how: {
    batchSave: (model: string, count: string) =>
      `${model}: ${counted(count, "record")} would be saved`,
    batchUpdate: (model: string, count: string) =>
      `${model}: ${counted(count, "record")} would be updated`,
    batchDelete: (model: string, count: string) =>
      `${model}: ${counted(count, "record")} would be deleted`,
  },
  shown: (count: string) => `The table has the first ${count}.`,
  otherFields: (count: string) => `${counted(count, "more field")} in the JSON below.`,
};

/** Loaded with the screens that show them. */
export const savedRecordsTexts = { english };
