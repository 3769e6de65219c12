import type { Target } from "../../parts/go.tsx";

export type IntegrationTab = "overview" | "credentials" | "settings";

/** The page of an integration. */
export function integrationPage(
  environment: string,
  key: string,
  tab: IntegrationTab = "overview",
): Target {
  const path = [environment, "integrations", key].map(encodeURIComponent).join("/");
  return { to: tab === "overview" ? `/${path}` : `/${path}/${tab}` };
}

/** Where a value of an integration is entered, with the focus in its field; without a name, where one is missing. */
export function integrationField(environment: string, key: string, field = "missing"): Target {
  return { ...integrationPage(environment, key, "credentials"), search: { field } };
}
