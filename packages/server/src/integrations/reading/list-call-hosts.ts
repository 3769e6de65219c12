import { parseEgressHost, toEgressHost } from "@jackfield/contract";
import { listBaseUrls } from "#auth-modes";
import type { Integration } from "../integration.ts";
import { toCallSubject } from "./to-auth-subject.ts";

/**
 * The hosts of an integration as one connection has them: those of its base addresses, and what its settings allow
 * besides. In the form of a function's `egress`.
 */
export function listCallHosts(
  integration: Integration,
  connectionConfig: Readonly<Record<string, string>>,
): string[] {
  const urls = listBaseUrls(toCallSubject(integration, connectionConfig));
  const own = urls.flatMap((text) => URL.parse(text) ?? []).map(toEgressHost);
  const listed = (integration.settings.allowed_hosts ?? []).flatMap((text) => {
    const parsed = parseEgressHost(text);
    return "host" in parsed ? [parsed.host] : [];
  });
  return [...new Set([...own, ...listed])];
}
