// For an operator with internet, not part of `npm run check`: asks the vendors whether the addresses of the
// catalogue still answer, and lists entries that nobody has looked at for long.
// node --conditions=jackfield-source scripts/check-live-urls.ts [provider id ...]
import { listProviders, type Provider, type Template } from "@jackfield/catalogue";

const TIMEOUT_MS = 15_000;
const AT_ONCE = 8;
const OLD_DAYS = 365;

interface Probe {
  readonly id: string;
  readonly what: string;
  readonly url: string;
  readonly method: "GET" | "POST";
  /** Statuses that speak against the address. */
  readonly bad: (status: number) => boolean;
}

const wanted = new Set(process.argv.slice(2));
const providers = listProviders().filter(({ id }) => wanted.size === 0 || wanted.has(id));
const probes = providers.flatMap(listProbes);
const queue = [...probes];
const findings: string[] = [];

await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const line of findings.toSorted()) console.log(line);
for (const line of listOld(providers)) console.log(line);
console.log(`${probes.length} addresses asked, ${findings.length} with a finding`);
process.exitCode = findings.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let probe = queue.shift(); probe !== undefined; probe = queue.shift()) {
    const finding = await ask(probe);
    if (finding !== undefined) findings.push(`${probe.id} ${probe.what} ${probe.url}: ${finding}`);
  }
}

async function ask({ url, method, bad }: Probe): Promise<string | undefined> {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  try {
    const { status, body } = await fetch(url, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(method === "POST" ? { headers: form, body: "grant_type=authorization_code" } : {}),
    });
    await body?.cancel();
    return bad(status) ? `answers ${status}` : undefined;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return `does not answer (${cause instanceof Error ? cause.message : String(cause)})`;
  }
}

/** Addresses with a placeholder are another one for each customer, so they are left out. */
function listProbes(provider: Provider): Probe[] {
  const { id } = provider;
  const fields = new Map<string, unknown>(Object.entries(provider));
  const find = (name: string) => [fields.get(name)].flat().filter(isFixed);
  return [
    ...find("authorization_url").map(({ text }): Probe => {
      return { id, what: "authorization_url", url: text, method: "GET", bad: isGone };
    }),
    // An empty grant is refused by a token endpoint; anything else there is none.
    ...find("token_url").map(({ text }): Probe => {
      return { id, what: "token_url", url: text, method: "POST", bad: isGone };
    }),
    ...find("base_url").map(({ text }): Probe => {
      const { origin } = new URL(text);
      return { id, what: "base_url", url: origin, method: "GET", bad: (status) => status >= 500 };
    }),
    ...(provider.docs === undefined
      ? []
      : [{ id, what: "docs", url: provider.docs, method: "GET", bad: isGone } as const]),
  ];
}

function isGone(status: number): boolean {
  return status === 404 || status === 410 || status >= 500;
}

function isFixed(value: unknown): value is Template {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    value.text.startsWith("https://") &&
    !value.text.includes("{{")
  );
}

function listOld(entries: readonly Provider[]): string[] {
  const limit = new Date(Date.now() - OLD_DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return entries
    .filter(({ checked_at: checkedAt }) => checkedAt !== undefined && checkedAt < limit)
    .map(({ id, checked_at: checkedAt }) => `${id}: last checked on ${checkedAt}`);
}
