import { expect, test } from "vitest";
import {
  newConfigField,
  readConfigFields,
  readPart,
  withConfigFields,
  withPart,
} from "./config-fields.ts";

const entry = {
  id: "acme",
  connection_config: { domain: { title: "Domain", format: "hostname" }, region: { title: "EU" } },
};

test("a changed part leaves the rest of its field and the order as they are", () => {
  const [domain, region] = readConfigFields(entry);
  if (domain === undefined || region === undefined) throw new Error("no fields");

  const changed = withConfigFields(entry, [withPart(domain, "example", "a.b"), region]);
  const emptied = withConfigFields(entry, [withPart(domain, "title", ""), region]);

  expect(JSON.stringify(changed)).toBe(
    JSON.stringify({
      id: "acme",
      connection_config: {
        domain: { title: "Domain", format: "hostname", example: "a.b" },
        region: { title: "EU" },
      },
    }),
  );
  expect(emptied["connection_config"]).toMatchObject({ domain: { format: "hostname" } });
  expect(readPart(domain, "pattern")).toBe("");
});

test("two fields with one name are both kept, under a name that is not valid", () => {
  const [domain, region] = readConfigFields(entry);
  if (domain === undefined || region === undefined) throw new Error("no fields");

  const { connection_config: config } = withConfigFields(entry, [
    domain,
    { ...region, name: "domain" },
  ]);

  expect(Object.keys(Object(config))).toEqual(["domain", "domain "]);
});

test("without fields the entry has no connection_config; a new one has a free name", () => {
  const first = newConfigField([]);

  expect(withConfigFields(entry, [])).toEqual({ id: "acme" });
  expect(newConfigField([{ ...first, name: "field2" }])).toMatchObject({ id: 1, name: "field3" });
});
