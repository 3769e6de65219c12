import { type Field, fitsPattern, isWebAddress } from "@jackfield/catalogue";
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

// The longest list of the catalogue has fewer.
const MAX_OPTIONS = 20;

function listOptions(options: readonly string[]): string {
  const told = options.slice(0, MAX_OPTIONS).map((option) => JSON.stringify(option.slice(0, 100)));
  const rest = options.length - told.length;
  return told.join(", ") + (rest === 0 ? "" : ` and ${rest} more`);
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
