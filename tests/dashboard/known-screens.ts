import { readFile } from "node:fs/promises";

/** Addresses of the screens that the router loads, with `$` before what may be anything, for people who have signed in. */
export async function listKnownScreens(): Promise<readonly string[]> {
  const source = await readFile(
    new URL("../../packages/dashboard/src/start/screen-modules.ts", import.meta.url),
    "utf8",
  );
  const inside = source.slice(source.indexOf("const accountScreens"));
  return [...inside.matchAll(/^ {2}"?([\w$/-]+)"?: async /gm)].map(([, path = ""]) => path);
}

/** Those that no address of an environment leads to; `../people` is an address outside of it. */
export async function listUnvisited(addresses: readonly string[]): Promise<readonly string[]> {
  const visited = addresses.map((address) => (address.split("?")[0] ?? "").replace("../", ""));
  const known = await listKnownScreens();
  return known.filter((screen) => {
    const parts = screen === "/" ? [""] : screen.split("/");
    return !visited.some((address) => {
      const own = address.split("/");
      return own.length === parts.length && parts.every((part, at) => isPart(part, own[at]));
    });
  });

  /** A name in the address of one screen stands for that screen, and not for any row of another one. */
  function isPart(part: string, own: string | undefined): boolean {
    return part.startsWith("$") ? own !== "new" : part === own;
  }
}
