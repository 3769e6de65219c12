import { expect, test } from "vitest";
import {
  compileTemplate,
  compileUrlTemplate,
  renderOptional,
  renderTemplate,
  TemplateError,
} from "./template.ts";

test("fills free text with values of all three kinds", () => {
  const template = compileTemplate("a {{config.x}} b {{credentials.y}}{{integration.z}}");

  const text = renderTemplate(template, {
    config: { x: "1" },
    credentials: { y: "2" },
    integration: { z: "3" },
  });

  expect(text).toBe("a 1 b 23");
});

test.each(["{{credentials.y}}", `$${"{config.x}"}`, "$1 $& {{", "}}{{integration.z}}"])(
  "inserts the value %s as it is and never fills it again",
  (value) => {
    const template = compileTemplate("[{{config.x}}]");

    const text = renderTemplate(template, { config: { x: value }, credentials: { y: "SECRET" } });

    expect(text).toBe(`[${value}]`);
  },
);

test.each([
  "{{x}}",
  "{{config.}}",
  "{{ config x }}",
  "{{config.x",
  "config.x}}",
  "{{env.HOME}}",
  "{{config.a..b}}",
  "{{config.x}}}}",
])("refuses %s at compile time", (text) => {
  expect(() => compileTemplate(text)).toThrow(TemplateError);
});

test("names the value that is missing, and takes nothing from prototypes", () => {
  const template = compileTemplate("{{config.toString}}");

  expect(() => renderTemplate(template, { config: {} })).toThrow(
    "no value is set for config.toString",
  );
  expect(renderOptional(template, { config: {} })).toBeUndefined();
  expect(renderOptional(template, { config: { toString: "" } })).toBeUndefined();
});

test.each(["a\r\nx-evil: 1", "a\nb", "a\0b", "a\x7fb"])("refuses control characters in %j", (x) => {
  expect(() => renderTemplate(compileTemplate("{{config.x}}"), { config: { x } })).toThrow(
    "the value of config.x has control characters",
  );
});

const hosts = compileUrlTemplate("https://{{config.x}}.example.com/v1");

test("takes a plain name as part of a host", () => {
  expect(renderTemplate(hosts, { config: { x: "acme-1.eu" } })).toBe(
    "https://acme-1.eu.example.com/v1",
  );
});

test.each([
  "evil.com/",
  "evil.com?",
  "evil.com#",
  "evil.com\\",
  "a@evil.com",
  "evil.com:80",
  "a b",
  "a\nb",
  "%2f",
  "..",
  ".a",
  "-a",
  "a.",
  "аcme",
  "{{config.y}}",
])("refuses %j inside a host", (x) => {
  expect(() => renderTemplate(hosts, { config: { x } })).toThrow(TemplateError);
});

test.each([
  ["a/b", "a%2Fb"],
  ["a?b#c", "a%3Fb%23c"],
  ["@evil.com", "%40evil.com"],
  ["ä {{x}}", "%C3%A4%20%7B%7Bx%7D%7D"],
  ["...", "..."],
  ["\ud800", "%EF%BF%BD"],
])("writes %j into a path as %s", (x, written) => {
  const template = compileUrlTemplate("https://example.com/{{config.x}}/y");

  expect(renderTemplate(template, { config: { x } })).toBe(`https://example.com/${written}/y`);
});

test.each([".", ".."])("refuses the dot segment %s in a path", (x) => {
  const template = compileUrlTemplate("https://example.com/{{config.x}}/y");

  expect(() => renderTemplate(template, { config: { x } })).toThrow("is a dot segment");
});

test("writes a value into a query so that it stays one value", () => {
  const template = compileUrlTemplate("https://example.com/a?b={{config.x}}");

  expect(renderTemplate(template, { config: { x: "1&admin=true" } })).toBe(
    "https://example.com/a?b=1%26admin%3Dtrue",
  );
});

const base = compileUrlTemplate("{{integration.base}}/token");

test("takes a whole address as the base, without doubling the slash", () => {
  expect(renderTemplate(base, { integration: { base: "https://example.com/v1/" } })).toBe(
    "https://example.com/v1/token",
  );
});

test.each([
  "ftp://example.com",
  "javascript:alert(1)",
  "//example.com",
  "example.com",
  "https://user:pass@example.com",
  "https://user@example.com",
  "https://example.com/#x",
  "https://example.com\\@evil.com",
  "https://exa\tmple.com",
  "https:///evil.com",
  "https://example.com/?a=b",
])("refuses %j as the base", (value) => {
  expect(() => renderTemplate(base, { integration: { base: value } })).toThrow(TemplateError);
});

test.each([
  "ftp://example.com",
  "example.com",
  "https://example.com/#x",
  "https://a b.com",
  "{{config.x}}.example.com/a",
  "{{config.x}}{{config.y}}",
])("refuses the address template %s", (text) => {
  expect(() => compileUrlTemplate(text)).toThrow(TemplateError);
});
