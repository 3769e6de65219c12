import type { Tree } from "../tree.ts";

/** A bar of CPU time that no machine's speed is taken into account for fails on a slow one. */
export function findOwnCpuTimes(tree: Tree): string[] {
  return [...tree]
    .filter(
      ([path, text]) => path.endsWith(".test.ts") && /\bcpuUsage\(|\bthreadCpuUsage\(/.test(text),
    )
    .map(
      ([path]) => `${path}: reads CPU time by itself; tests/cpu-time.ts allows for slow machines`,
    );
}
