import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Text of each file of the project, by its path from the root. */
export type Tree = ReadonlyMap<string, string>;

const textual =
  /\.(?:tsx?|m?js|cjs|json|md|sql|ya?ml|toml|py|go|sh|css|html|conf|cfg|service|env)$|(?<=\/)(?:linear-patterns\.txt|Caddyfile|Containerfile)$/;

export async function readTree(): Promise<Tree> {
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard"],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const paths = stdout.split("\n").filter((path) => textual.test(path));
  const files = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const text = await readFile(path, "utf8").catch(() => undefined);
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
  return new Map(files.flat());
}
