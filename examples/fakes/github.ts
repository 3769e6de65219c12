import type { VendorAnswer, VendorCall } from "jackfield/test";

const issues = Array.from({ length: 8 }, (_, index) => ({
  id: 7001 + index,
  number: index + 1,
  title: ["Crash at start", "Typo in the README", "Support IPv6"][index % 3],
  state: index % 4 === 3 ? "closed" : "open",
  user: index === 5 ? null : { login: `octo-${index % 3}`, id: 100 + (index % 3) },
  labels: index % 2 === 0 ? [{ id: 1, name: "bug", color: "d73a4a" }] : [],
  created_at: "2026-01-01T00:00:00Z",
  updated_at: `2026-01-${String(10 + index).padStart(2, "0")}T12:00:00Z`,
  html_url: `https://github.com/acme/rockets/issues/${index + 1}`,
  ...(index === 2
    ? { pull_request: { url: "https://api.github.com/repos/acme/rockets/pulls/3" } }
    : {}),
}));

/** Issues and hooks of one repository, in the form of GitHub's REST API. */
export default function github({
  method,
  path,
  query,
  body,
  url,
}: VendorCall): VendorAnswer | undefined {
  if (path === "/repos/acme/rockets/hooks" && method === "POST") {
    return { status: 201, body: { id: 424242, type: "Repository", active: true } };
  }
  if (path !== "/repos/acme/rockets/issues") return undefined;
  if (method === "POST") {
    const { title, labels } = JSON.parse(body);
    const created = {
      ...issues[0],
      id: 7999,
      number: 99,
      title,
      state: "open",
      user: { login: "octo-app" },
    };
    const labelled = {
      ...created,
      labels: labels.map((name: string) => ({ name })),
      updated_at: "2026-02-01T10:00:00Z",
    };
    return {
      status: 201,
      body: { ...labelled, html_url: "https://github.com/acme/rockets/issues/99" },
    };
  }
  const since = query.get("since") ?? "";
  const changed = issues.filter(({ updated_at: updatedAt }) => updatedAt >= since);
  const size = Number(query.get("per_page") ?? 30);
  const page = Number(query.get("page") ?? 1);
  const hasNext = page * size < changed.length;
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const link: Record<string, string> = hasNext ? { link: `<${next}>; rel="next"` } : {};
  return { headers: link, body: changed.slice((page - 1) * size, page * size) };
}
