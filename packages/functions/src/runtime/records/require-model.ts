import type { Run, ValueSchema } from "../run.ts";

/** The schema of a model that the sync declares. */
export function requireModel(run: Run, model: string): ValueSchema {
  const { models } = run.schemas;
  const schema = Object.hasOwn(models, model) ? models[model] : undefined;
  if (schema !== undefined) return schema;
  const declared = Object.keys(models).join(", ") || "none";
  throw new TypeError(`Model "${model}" is not declared by this sync; its models: ${declared}.`);
}
