import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import {
  type Upstream,
  type UpstreamTool,
  upstreamQuery,
} from "../../data/environment/upstreams.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

const READ = "environment:agents:read";
const WRITE = "environment:agents:write";

const tones: Readonly<Record<UpstreamTool["state"], Tone>> = {
  new: "warn",
  allowed: "good",
  changed: "bad",
  refused: "idle",
  gone: "idle",
};

/** The tools of the integration's MCP server, and what has changed; nothing for an integration without one. */
export function UpstreamTools({ integration }: { integration: string }) {
  const { upstreams: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay(READ);
  const query = useQuery({ ...upstreamQuery(environment, integration), enabled: may });
  const upstream = query.data;
  if (query.isError) {
    return (
      <Card title={texts.title}>
        <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
      </Card>
    );
  }
  if (upstream === undefined || upstream === null) return null;
  return <Tools upstream={upstream} />;
}

type Wanted =
  | { readonly kind: "refresh" }
  | { readonly kind: "allow"; readonly allow: "all" | "read_only" }
  | {
      readonly kind: "decide";
      readonly tool: UpstreamTool;
      readonly decision: "accept" | "refuse";
    };

function useChange({ integration }: Upstream) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async (wanted: Wanted) => {
      const params = { integration };
      if (wanted.kind === "refresh") {
        await callApi("refreshUpstream", { environment, params, body: {} });
      } else if (wanted.kind === "allow") {
        await callApi("allowUpstream", { environment, params, body: { allow: wanted.allow } });
      } else {
        const { tool, decision } = wanted;
        const { digest } = (tool.changed ?? tool).definition;
        await callApi("decideUpstreamTool", {
          environment,
          params: { integration, name: tool.name },
          // The effect that somebody has said before holds for the change, too.
          body: { decision, digest, server_url: tool.server_url, effect: tool.effect },
        });
      }
    },
    onSettled: async () => {
      const queryKey = ["upstream", environment, integration];
      await queryClient.invalidateQueries({ queryKey });
    },
  });
}

function Tools({ upstream }: { upstream: Upstream }) {
  const { upstreams: texts } = useTexts();
  const change = useChange(upstream);
  const { list, failure, tools } = upstream;
  return (
    <Card
      title={texts.title}
      actions={
        <ScopedButton
          scope={WRITE}
          look="small"
          isPending={change.isPending}
          onPress={() => change.mutate({ kind: "refresh" })}
        >
          {texts.refresh}
        </ScopedButton>
      }
    >
      <p className="soft padded">{texts.text}</p>
      {change.isError && <FaultBanner error={change.error} />}
      {failure !== null && <p className="padded">{texts.failed(plainText(failure, 300))}</p>}
      {list.length === 0 && <Empty title={texts.noneTitle} text={texts.noneText} />}
      {tools.new > 0 && (
        <div className="row padded">
          <ScopedButton
            scope={WRITE}
            isPending={change.isPending}
            onPress={() => change.mutate({ kind: "allow", allow: "all" })}
          >
            {texts.allowAll}
          </ScopedButton>
          <ScopedButton
            scope={WRITE}
            isPending={change.isPending}
            onPress={() => change.mutate({ kind: "allow", allow: "read_only" })}
          >
            {texts.allowReads}
          </ScopedButton>
        </div>
      )}
      {list.map((tool) => (
        <Tool
          key={`${tool.name} ${tool.server_url}`}
          tool={tool}
          isPending={change.isPending}
          onDecide={(decision) => change.mutate({ kind: "decide", tool, decision })}
        />
      ))}
      <p role="status" className="padded">
        {change.isSuccess && change.variables.kind === "decide"
          ? texts.decided(plainText(change.variables.tool.name, 100))
          : ""}
      </p>
    </Card>
  );
}

function Tool({
  tool,
  isPending,
  onDecide,
}: {
  tool: UpstreamTool;
  isPending: boolean;
  onDecide: (decision: "accept" | "refuse") => void;
}) {
  const { upstreams: texts } = useTexts();
  const { name, state, effect, definition, changed } = tool;
  const isOpen = state === "new" || state === "changed" || state === "refused";
  const isRefusable = state !== "refused" && state !== "gone";
  return (
    <details className="padded" open={state === "changed"}>
      <summary>
        <span className="mono">{plainText(name, 128)}</span>{" "}
        <Badge tone={tones[state]}>{texts.states[state]}</Badge>{" "}
        <span className="soft">{texts.effect(texts.effects[effect])}</span>
      </summary>
      <p>{plainText(definition.description, 1000)}</p>
      {changed !== null && <Changes changes={changed.changes} />}
      <JsonView label={texts.inputs} value={(changed ?? tool).definition.input_schema} />
      <div className="row">
        {isOpen && (
          <ScopedButton
            scope={WRITE}
            look="primary"
            isPending={isPending}
            onPress={() => onDecide("accept")}
          >
            {state === "changed" ? texts.acceptChange : texts.accept}
          </ScopedButton>
        )}
        {isRefusable && (
          <ScopedButton
            scope={WRITE}
            look="danger"
            isPending={isPending}
            onPress={() => onDecide("refuse")}
          >
            {texts.refuse}
          </ScopedButton>
        )}
      </div>
    </details>
  );
}

function Changes({ changes }: { changes: NonNullable<UpstreamTool["changed"]>["changes"] }) {
  const { upstreams: texts } = useTexts();
  return (
    <div>
      <strong>{texts.changes(String(changes.length))}</strong>
      <ul>
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <span className="mono">{plainText(path, 200)}</span>
            <p>
              {texts.before}: <del>{plainText(before ?? texts.missing, 1000)}</del>
            </p>
            <p>
              {texts.after}: <ins>{plainText(after ?? texts.missing, 1000)}</ins>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
