import { expect, test } from "vitest";
import { distinguish, findHelp, isWebPage } from "./load-page.ts";

const provider = { name: "acme", auth_mode: "API_KEY", connect_method: "form" } as const;
const integration = { unique_key: "acme", provider: "acme" };

function help(own: string | undefined, pages: { docs?: string; docs_connect?: string }) {
  const overrides = own === undefined ? {} : { overrides: { acme: { docs_connect: own } } };
  const page = Object({ session: overrides, integrations: [] });
  return findHelp(page, Object(integration), { ...provider, ...pages });
}

test("help is the customer's page, else the entry's page for end users, else its documentation", () => {
  const pages = { docs: "https://acme.example/api", docs_connect: "https://acme.example/keys" };

  expect(help("https://customer.example/help", pages)).toEqual({
    url: "https://customer.example/help",
    isGuide: true,
  });
  expect(help("javascript:alert(1)", pages)).toEqual({ url: pages.docs_connect, isGuide: true });
  expect(help(undefined, pages)).toEqual({ url: pages.docs_connect, isGuide: true });
  expect(help(undefined, { docs: pages.docs })).toEqual({ url: pages.docs, isGuide: false });
  expect(help(undefined, { docs: pages.docs, docs_connect: pages.docs })?.isGuide).toBe(false);
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

test("integrations of one name have their key as well, others do not", () => {
  const keys = [
    { unique_key: "crm", display_name: "Harbor" },
    { unique_key: "crm-eu", display_name: "harbor" },
    { unique_key: "quay", display_name: "Quay" },
  ];

  const details = distinguish(Object(keys)).map(({ detail }) => detail);

  expect(details).toEqual(["crm", "crm-eu", undefined]);
});
