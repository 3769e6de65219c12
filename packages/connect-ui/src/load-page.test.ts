import { expect, test } from "vitest";
import { findHelpUrl, isWebPage } from "./load-page.ts";

const provider = { name: "acme", auth_mode: "API_KEY", connect_method: "form" } as const;
const integration = { unique_key: "acme", provider: "acme" };

function help(own: string | undefined, pages: { docs?: string; docs_connect?: string }) {
  const overrides = own === undefined ? {} : { overrides: { acme: { docs_connect: own } } };
  const page = Object({ session: overrides, integrations: [] });
  return findHelpUrl(page, Object(integration), { ...provider, ...pages });
}

test("help is the customer's page, else the entry's page for end users, else its documentation", () => {
  const pages = { docs: "https://acme.example/api", docs_connect: "https://acme.example/keys" };

  expect(help("https://customer.example/help", pages)).toBe("https://customer.example/help");
  expect(help("javascript:alert(1)", pages)).toBe(pages.docs_connect);
  expect(help(undefined, pages)).toBe(pages.docs_connect);
  expect(help(undefined, { docs: pages.docs })).toBe(pages.docs);
  expect(help(undefined, {})).toBeUndefined();
});

test.each([
  ["https://example.com/docs", true],
  ["javascript:alert(1)", false],
  ["data:text/html,x", false],
  ["/docs", false],
  [undefined, false],
])("%s as a link: %s", (address, isPage) => {
  expect(isWebPage(address)).toBe(isPage);
});
