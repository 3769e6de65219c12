// Owns what an operator asks of the whole installation at once; what each part knows, its owner tells. No tables.
export { installationFacts } from "./installation-facts.ts";
export { installation } from "./slice.ts";
