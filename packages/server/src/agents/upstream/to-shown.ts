import type { ShownTool } from "#functions";
import { effectOf, type UpstreamVersion } from "./upstream.ts";

/** A version as models are shown tools. */
export function toShown(version: UpstreamVersion): ShownTool {
  const { definition } = version;
  const effect = effectOf(version);
  return {
    ...{ description: definition.description, inputSchema: definition.inputSchema },
    hints: {
      ...{ effect, openWorld: true, output: "content" as const },
      ...(definition.title === undefined ? {} : { title: definition.title }),
      ...(definition.annotations.idempotentHint === false ? { idempotent: false } : {}),
    },
    // Its server may answer otherwise, and a long result is a handle.
    outputSchema: undefined,
    wrapping: "object",
  };
}
