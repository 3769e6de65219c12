import type { ModelName, RecordModel, SyncedRecord } from "../../data/records/records.ts";
import type { Target } from "../../parts/go.tsx";

/** The page of a model's records. */
export function modelPage(environment: string, model: RecordModel): Target {
  const parts = [
    environment,
    "records",
    model.provider_config_key,
    model.connection_id,
    model.model,
  ];
  const search = model.variant === "base" ? {} : { variant: model.variant };
  return { to: `/${parts.map(encodeURIComponent).join("/")}`, search };
}

/** What tells the models of an environment from each other. */
export function modelKey(row: RecordModel): string {
  return [row.provider_config_key, row.connection_id, row.model, row.variant].join(" ");
}

export function nameOf({ model, variant }: Pick<ModelName, "model" | "variant">): string {
  return variant === "base" ? model : `${model}::${variant}`;
}

/** The fields that its author gave a record. */
export function contentOf(record: SyncedRecord): Readonly<Record<string, unknown>> {
  const { _svc_metadata: _, ...content } = record;
  return content;
}

/** Names of fields in the order in which records have them, without the id. */
export function fieldsOf(records: readonly SyncedRecord[]): readonly string[] {
  const names = new Set(records.flatMap((record) => Object.keys(contentOf(record))));
  names.delete("id");
  return [...names];
}

/** A value in one line. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
