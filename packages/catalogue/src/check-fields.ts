import type { Field } from "./schema/values.ts";
import type { Provider } from "./schema.ts";

const secretName = /secret|password|token(?!_url|_auth|domain)|private_?key|api_?key/i;

/** Whether a value of this name is one to keep from others. */
export function soundsSecret(name: string): boolean {
  return secretName.test(name);
}

/** What is wrong with the fields that an entry asks for. */
export function checkFields(provider: Provider): string[] {
  const groups = {
    integration_config: provider.integration_config,
    connection_config: provider.connection_config,
    credentials: provider.credentials,
  };
  return Object.entries(groups).flatMap(([group, fields]) =>
    Object.entries(fields).flatMap(([name, field]) => [
      ...checkField(`${group}.${name}`, field),
      ...(group === "connection_config" && soundsSecret(name) && !field.secret
        ? [`${group}.${name} sounds secret: move it to credentials or mark it secret`]
        : []),
    ]),
  );
}

function checkField(path: string, field: Field): string[] {
  const faults: string[] = [];
  if (
    field.enum !== undefined &&
    field.default !== undefined &&
    !field.enum.includes(field.default)
  ) {
    faults.push(`${path}: the default is not one of the values`);
  }
  if (field.pattern === undefined) return faults;
  if (field.secret) faults.push(`${path}: a secret has no pattern, for vendors change theirs`);
  return [...faults, ...checkPattern(path, field, field.pattern)];
}

function checkPattern(path: string, field: Field, source: string): string[] {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, "u");
  } catch {
    return [`${path}: the pattern is no regular expression`];
  }
  const faults: string[] = [];
  if (!/^\^.*\$$/.test(source)) faults.push(`${path}: the pattern is not anchored`);
  if (!isLinear(source)) {
    faults.push(`${path}: the pattern looks back or ahead, which RE2 does not know`);
  }
  for (const [name, value] of Object.entries({ example: field.example, default: field.default })) {
    if (value !== undefined && !pattern.test(value)) {
      faults.push(`${path}: the ${name} does not match the pattern`);
    }
  }
  return faults;
}

/** RE2, whose time is linear in the text, has neither lookaround nor back references. */
function isLinear(source: string): boolean {
  return !/\(\?(?:=|!|<=|<!)|\\[1-9]|\\k</.test(source);
}
