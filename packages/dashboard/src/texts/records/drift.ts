import { counted } from "../counted.ts";

/** Fields of records that differ from their schema, or from before. */
export const english = {
  title: "Drift",
  text: "Samples of the saved records have these fields, which differ from the schema of their model or from before. The records were saved as they are.",
  ofModel: (model: string, count: string) => `${model}: ${counted(count, "record")} sampled`,
  field: "Field",
  finding: "Finding",
  types: "Types (values)",
  expected: "Expected",
  nulls: "Null this week",
  firstSeen: "First seen",
  findings: {
    new_field: "not in the schema",
    unexpected_type: "unexpected type",
    type_changed: "type changed",
    nulls_changed: "share of null changed",
  },
};
