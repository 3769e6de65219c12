import type { FieldTexts } from "./field-texts.ts";
import type { FormField, FormValues } from "./form-fields.ts";

/** What is wrong with a value, in words for the person who typed it; undefined when nothing is. */
export function validateField(
  field: FormField,
  given: string,
  texts: FieldTexts,
): string | undefined {
  const { invalid } = texts;
  const value = tidyValue(field, given);
  if (value === "") {
    if (!field.required) return undefined;
    return field.choices === undefined ? invalid.required(field.label) : invalid.choose;
  }
  if (field.choices !== undefined && !field.choices.includes(value)) {
    return invalid.choose;
  }
  const whole = field.prefix + value + field.suffix;
  switch (field.format) {
    case "uri":
    case "base_url":
      if (!isWebAddress(whole)) return invalid.uri;
      break;
    case "hostname":
      if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(whole.replace(/^https?:\/\//, ""))) {
        return invalid.hostname;
      }
      break;
    case "email":
      if (!/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(value)) return invalid.email;
      break;
    case "uuid":
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return invalid.uuid;
      break;
  }
  return matchesPattern(field.pattern, value) ? undefined : invalid.pattern(field.label);
}

/** The faults of a form by field id; none when it can be sent. */
export function validateForm(
  fields: readonly FormField[],
  values: FormValues,
  texts: FieldTexts,
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  for (const field of fields) {
    const fault = validateField(field, values[field.id] ?? "", texts);
    if (fault !== undefined) faults.set(field.id, fault);
  }
  const own = fields.filter(({ target }) => target === "override");
  const empty = own.filter((field) => tidyValue(field, values[field.id] ?? "") === "");
  if (empty.length < own.length) {
    for (const field of empty) faults.set(field.id, texts.invalid.together);
  }
  return faults;
}

/**
 * The value as it is sent: secrets as they were pasted but for the white space around them, host
 * names without the parts of a pasted address that the form shows as fixed.
 */
export function tidyValue(field: FormField, given: string): string {
  const value = given.trim();
  if (field.choices !== undefined || field.secret) return value;
  const isHost = field.format === "hostname";
  if (!isHost && field.prefix === "" && field.suffix === "") return value;
  let rest = value;
  if (field.prefix !== "" && startsWithIgnoringCase(rest, field.prefix)) {
    rest = rest.slice(field.prefix.length);
  }
  if (isHost || /^https?:\/\/$/.test(field.prefix)) {
    rest = rest.replace(/^https?:\/\//i, "").replace(/[/?#].*/s, "");
  }
  if (field.suffix !== "") {
    const at = rest.toLowerCase().indexOf(field.suffix.toLowerCase());
    if (at > 0) rest = rest.slice(0, at);
  }
  return rest;
}

function startsWithIgnoringCase(text: string, start: string): boolean {
  return text.slice(0, start.length).toLowerCase() === start.toLowerCase();
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && hostname !== "";
}

/** A pattern that this browser cannot read asks for nothing: the server checks again. */
function matchesPattern(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true;
  }
}
