// Owns how a caller learns what is wrong with the values that were sent.
export { type FieldErrorCode, type FieldFault, invalidFields } from "./field-faults.ts";
export { nearestName } from "./nearest-name.ts";
export { oneValue, type PlacedValues } from "./one-value.ts";
export { parseValues } from "./parse-values.ts";
