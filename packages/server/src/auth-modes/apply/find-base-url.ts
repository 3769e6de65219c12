import { renderFirst, renderOptional } from "@jackfield/catalogue";
import { startsWithSegments } from "#foundation";
import type { AuthSubject } from "../auth-mode.ts";
import { renderAs } from "./render-as.ts";
import { toTemplateValues } from "./template-values.ts";

/** The address below which the provider's paths lie; undefined when nobody has set one. Throws missing_base_url. */
export function findBaseUrl(subject: AuthSubject): string | undefined {
  const { provider } = subject;
  const custom = findCustomBaseUrl(subject);
  if (custom !== undefined) return custom;
  if (provider.base_url === undefined) return undefined;
  const templates = provider.base_url;
  const what = `The base URL of ${provider.id} cannot be built`;
  return renderAs({ code: "missing_base_url", what }, () =>
    renderFirst(templates, toTemplateValues(subject)),
  );
}

/**
 * The address for a path that the entry has elsewhere than below its base URL; undefined for every other path, and
 * where a value that the address needs is not known. `path` has no leading slash.
 */
export function findOtherBaseUrl(subject: AuthSubject, path: string): string | undefined {
  for (const { paths, base_url: baseUrl } of subject.provider.other_base_urls) {
    // The entry writes them with a slash.
    if (!paths.some((start) => startsWithSegments(path, start.slice(1)))) continue;
    if (findCustomBaseUrl(subject) !== undefined) return undefined;
    return renderOptional(baseUrl, toTemplateValues(subject));
  }
  return undefined;
}

/** Every address below which calls go, as far as the values that they need are known. */
export function listBaseUrls(subject: AuthSubject): string[] {
  const own = findBaseUrl(subject) ?? [];
  if (findCustomBaseUrl(subject) !== undefined) return [own].flat();
  const values = toTemplateValues(subject);
  const others = subject.provider.other_base_urls.flatMap(
    ({ base_url: baseUrl }) => renderOptional(baseUrl, values) ?? [],
  );
  return [own, others].flat();
}

/** An entry that asks for no configuration may be pointed elsewhere by the integration's `custom`. */
function findCustomBaseUrl({ provider, integrationConfig }: AuthSubject): string | undefined {
  if (Object.keys(provider.integration_config).length > 0) return undefined;
  return integrationConfig["base_url"] || integrationConfig["baseUrl"] || undefined;
}
