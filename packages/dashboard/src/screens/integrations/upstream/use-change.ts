import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../../data/api.ts";
import type { Upstream, UpstreamTool } from "../../../data/environment/upstreams.ts";
import { queryClient } from "../../../data/query-client.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";

export const WRITE = "environment:agents:write";

export interface Decision {
  readonly decision: "accept" | "refuse";
  readonly effect: UpstreamTool["effect"];
  readonly sends: boolean;
}

type Wanted =
  | { readonly kind: "refresh" }
  | { readonly kind: "allow"; readonly allow: "all" | "read_only" }
  | ({ readonly kind: "decide"; readonly tool: UpstreamTool } & Decision);

/** Reads the list again, or decides about its tools. */
export function useChange({ integration }: Upstream) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async (wanted: Wanted) => {
      const params = { integration };
      if (wanted.kind === "refresh") {
        await callApi("refreshUpstream", { environment, params, body: {} });
      } else if (wanted.kind === "allow") {
        await callApi("allowUpstream", { environment, params, body: { allow: wanted.allow } });
      } else {
        const { tool, decision, effect, sends } = wanted;
        const { digest } = (tool.changed ?? tool).definition;
        const said = decision === "accept" ? { effect, sends } : {};
        await callApi("decideUpstreamTool", {
          environment,
          params: { integration, name: tool.name },
          body: { decision, digest, server_url: tool.server_url, ...said },
        });
      }
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["upstream", environment] });
    },
  });
}

export type ChangeUpstream = ReturnType<typeof useChange>;
