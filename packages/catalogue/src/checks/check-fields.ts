import { findPatternFault, fitsPattern } from "../patterns/pattern.ts";
import type { Field } from "../schema/values.ts";
import type { Provider } from "../schema.ts";

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
  return [
    ...Object.entries(groups).flatMap(([group, fields]) =>
      Object.entries(fields).flatMap(([name, field]) => [
        ...checkField(`${group}.${name}`, field),
        ...(group === "connection_config" && soundsSecret(name) && !field.secret
          ? [`${group}.${name} sounds secret: move it to credentials or mark it secret`]
          : []),
      ]),
    ),
    ...checkAliases(provider),
  ];
}

/** In `connection_config` a name means one field. */
function checkAliases({
  connection_config: config,
  credentials,
  integration_config: settings,
}: Provider): string[] {
  const taken = new Set(Object.keys(config));
  const faults: string[] = [];
  for (const [name, { aliases }] of [...Object.entries(config), ...Object.entries(credentials)]) {
    for (const alias of aliases) {
      if (taken.has(alias.name)) faults.push(`${name}: the alias ${alias.name} is taken`);
      taken.add(alias.name);
    }
  }
  const settled = Object.entries(settings).filter(([, { aliases }]) => aliases.length > 0);
  return [...faults, ...settled.map(([name]) => `integration_config.${name} takes no aliases`)];
}

function checkField(path: string, field: Field): string[] {
  const faults: string[] = [];
  if (
    field.enum !== undefined &&
    field.default !== undefined &&
    !field.enum.includes(field.default)
  ) {
    faults.push(`${path}.default: the default is not one of the values`);
  }
  if (field.pattern === undefined) return faults;
  if (field.secret)
    faults.push(`${path}.pattern: a secret has no pattern, for vendors change theirs`);
  return [...faults, ...checkPattern(path, field, field.pattern)];
}

function checkPattern(path: string, field: Field, pattern: string): string[] {
  const fault = findPatternFault(pattern);
  if (fault !== undefined) return [`${path}.pattern: RE2 does not support the pattern: ${fault}`];
  const faults: string[] = [];
  if (!/^\^.*\$$/.test(pattern)) {
    faults.push(`${path}.pattern: the pattern is not anchored: begin it with ^ and end it with $`);
  }
  for (const [name, value] of Object.entries({ example: field.example, default: field.default })) {
    if (value !== undefined && !fitsPattern(pattern, value)) {
      faults.push(`${path}.${name}: the ${name} does not match the pattern`);
    }
  }
  return faults;
}
