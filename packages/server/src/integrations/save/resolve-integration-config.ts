import type { Provider } from "@jackfield/catalogue";
import { getAuthMode } from "#auth-modes";
import { type FieldFault, invalidFields } from "#foundation";
import { findFieldFault, isBaseUrl } from "./find-field-fault.ts";

type Values = Readonly<Record<string, string>>;

/** The values that are stored: checked against the entry's fields, with defaults. Throws invalid_body. */
export function resolveIntegrationConfig(provider: Provider, given: Values): Values {
  const fields = Object.entries(provider.integration_config);
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(provider.integration_config, name))
    .map((name) => ({
      path: ["integration_config", name],
      message: `is no setting of ${provider.id}, which has ${fields.map(([known]) => known).join(", ") || "none"}`,
    }));
  const resolved: Record<string, string> = {};
  const faults = fields.flatMap(([name, field]) => {
    const value = given[name] || field.default;
    if (value !== undefined) resolved[name] = value;
    const message = findFieldFault(field, value);
    return message === undefined ? [] : [{ path: ["integration_config", name], message }];
  });
  refuse([...unknown, ...faults]);
  refuse(
    (getAuthMode(provider.auth_mode).checkConfig?.(provider, resolved) ?? []).map((fault) => ({
      path: ["integration_config", fault.field],
      message: fault.message,
    })),
  );
  return resolved;
}

/** `custom` is used where an entry declares no fields of its own. */
export function checkCustom(provider: Provider, custom: Values): void {
  if (Object.keys(custom).length === 0) return;
  if (Object.keys(provider.integration_config).length > 0) {
    refuse([
      {
        path: ["custom"],
        message: `is not for ${provider.id}, which has settings of its own: send them as integration_config`,
      },
    ]);
  }
  const faults = ["base_url", "baseUrl"].flatMap((name) => {
    const value = custom[name];
    if (value === undefined || isBaseUrl(value)) return [];
    return [{ path: ["custom", name], message: "is not an http or https address without a query" }];
  });
  refuse(faults);
}

/** Throws invalid_body with every fault, unless there is none. */
export function refuse(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
}
