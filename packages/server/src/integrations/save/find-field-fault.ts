import { type Field, fitsPattern, isWebAddress, type Provider } from "@jackfield/catalogue";
import * as z from "zod";

/** What is wrong with the value of a field that a provider's entry declares; empty is no value. */
export function findFieldFault(field: Field, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return field.optional ? undefined : "is required";
  if (field.enum !== undefined && !field.enum.includes(value)) {
    return `is not one of ${listOptions(field.enum)}`;
  }
  if (field.pattern !== undefined && !fitsPattern(field.pattern, value)) {
    const example = field.example === undefined ? "" : `, such as ${field.example}`;
    return `does not have the expected form${example}`;
  }
  return field.format === undefined ? undefined : checks[field.format]?.(value);
}

/** What is wrong with a value of connection_config that nobody has to give; also of one that the server may fill. */
export function findConfigFault(
  provider: Provider,
  name: string,
  value: string | undefined,
): string | undefined {
  const field = provider.connection_config[name];
  const fault = field && findFieldFault({ ...field, optional: true }, value);
  if (fault !== undefined || !value || !isAddressOf(provider, name)) return fault;
  return isBaseUrl(value) ? undefined : "is not an http or https address without a query";
}

/** Whether an address of the entry begins with the value. */
function isAddressOf(provider: Provider, name: string): boolean {
  const tokenUrl = "token_url" in provider ? provider.token_url : undefined;
  return [provider.base_url, tokenUrl]
    .flat()
    .some((address) => address?.text.replaceAll(" ", "").startsWith(`{{config.${name}}}`) === true);
}

/** Without the field's prefix and suffix: the whole address may have been given where only its middle is asked for. */
export function trimFieldValue({ prefix = "", suffix = "" }: Field, given: string): string {
  let value = given.trim();
  if (prefix !== "" && value.startsWith(prefix)) value = value.slice(prefix.length);
  if (suffix !== "" && value.replace(/\/$/, "").endsWith(suffix)) {
    value = value.replace(/\/$/, "").slice(0, -suffix.length);
  }
  return value;
}

// The longest list of the catalogue has fewer.
const MAX_OPTIONS = 20;

function listOptions(options: readonly string[]): string {
  const reported = options
    .slice(0, MAX_OPTIONS)
    .map((option) => JSON.stringify(option.slice(0, 100)));
  const rest = options.length - reported.length;
  return reported.join(", ") + (rest === 0 ? "" : ` and ${rest} more`);
}

export function isBaseUrl(value: string): boolean {
  return isWebAddress(value) && !value.includes("?");
}

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

const checks: Readonly<Record<string, (value: string) => string | undefined>> = {
  uri: (value) => (isWebAddress(value) ? undefined : "is not an http or https address"),
  base_url: (value) =>
    isBaseUrl(value) ? undefined : "is not an http or https address without a query",
  hostname: (value) => (hostName.test(value) ? undefined : "is not a host name"),
  email: (value) => (z.email().safeParse(value).success ? undefined : "is not an e-mail address"),
  uuid: (value) => (z.guid().safeParse(value).success ? undefined : "is not a UUID"),
};
