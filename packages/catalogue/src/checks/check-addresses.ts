import type { Provider } from "../schema.ts";
import {
  listHostReferences,
  renderTemplate,
  type Template,
  TemplateError,
} from "../templates/template.ts";

type Placed = readonly [path: string, template: Template];

const fieldsOfText =
  /(^|\.)(headers|query|body|params|claims|audience|integration_config|connection_config|credentials|[a-z]+_(params|headers))(\.|$)|^after_connect\..*save/;

/** What is wrong with the addresses among an entry's templates. */
export function checkAddresses(provider: Provider, templates: readonly Placed[]): string[] {
  return templates
    .filter(([path]) => !fieldsOfText.test(path))
    .flatMap((placed) => [
      ...checkForm(placed),
      ...checkFilled(placed),
      ...checkHosts(provider, placed, templates),
    ]);
}

function checkForm([path, { text }]: Placed): string[] {
  if (!/^https?:\/\//.test(text)) return [];
  const faults: string[] = [];
  if (!text.startsWith("https://")) faults.push(`${path} is not https`);
  if (/^https?:\/\/[^/?]*@/.test(text)) faults.push(`${path} holds a user`);
  if (/^(other_base_urls\.(\d+\.)?)?base_url(\.|$)/.test(path) && /\/$|\?/.test(text))
    faults.push(`${path} ends in / or has a query`);
  if (/^https:\/\/[^?]*\/\//.test(text)) faults.push(`${path} has // in its path`);
  if (/[?&](client_secret|token|api_?key)=/i.test(text)) faults.push(`${path} holds a secret`);
  return faults;
}

/** With some value for each placeholder it has to be an address that a parser accepts unchanged. */
function checkFilled([path, template]: Placed): string[] {
  if (!/^https:\/\//.test(template.text)) return [];
  const anything = new Proxy({}, { has: () => true, getOwnPropertyDescriptor: anyProperty });
  try {
    const filled = renderTemplate(template, {
      config: anything,
      credentials: anything,
      integration: anything,
      client: anything,
    });
    return URL.canParse(filled) ? [] : [`${path} is no address: ${filled}`];
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.missing ? [] : [`${path}: ${error.message}`];
  }
}

function anyProperty(): PropertyDescriptor {
  return { value: "x1", configurable: true, enumerable: true };
}

/**
 * A value of an end user that is part of a host: it cannot be left out unless another address
 * follows, and one that is the whole host has to be of a form that is checked.
 */
function checkHosts(
  { connection_config: fields, integration_config: settings }: Provider,
  [path, template]: Placed,
  templates: readonly Placed[],
): string[] {
  if (!/^https:\/\//.test(template.text)) return [];
  const faults: string[] = [];
  const hasNext = templates.some(([other]) => other === nextPath(path));
  for (const name of listHostNames(template.text)) {
    const field = fields[name];
    if (field?.optional === true && field.default === undefined && !hasNext) {
      faults.push(`${path}: config.${name} may be left out, but the host needs it`);
    }
  }
  for (const { scope, name } of listHostReferences(template)) {
    const field =
      scope === "config" ? fields[name] : scope === "integration" ? settings[name] : undefined;
    if (field === undefined || field.automated) continue;
    const isChecked =
      field.format !== undefined || field.enum !== undefined || field.pattern !== undefined;
    if (!isChecked)
      faults.push(
        `${path}: ${scope}.${name} is a host: give it the format hostname, a pattern or an enum`,
      );
  }
  return faults;
}

function listHostNames(text: string): string[] {
  const host = /^https:\/\/([^/?]*)/.exec(text)?.[1] ?? "";
  return [...host.matchAll(/\{\{config\.([A-Za-z0-9_-]+)\}\}/g)].map(([, name = ""]) => name);
}

function nextPath(path: string): string {
  const match = /^(.*)\.(\d+)$/.exec(path);
  return match === null ? `${path}.1` : `${match[1]}.${Number(match[2]) + 1}`;
}
