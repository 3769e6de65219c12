const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const LONGEST_CLIENT = 200;

/** Name and version of the client, which each request of the newest revision carries. */
export function readClient(
  meta: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  const info = meta?.[CLIENT_INFO];
  if (typeof info !== "object" || info === null || !("name" in info)) return undefined;
  const named = [info.name, "version" in info ? info.version : undefined];
  const words = named.filter((each) => typeof each === "string");
  return words.length === 0 ? undefined : words.join("/").slice(0, LONGEST_CLIENT);
}
