import { useQuery } from "@tanstack/react-query";
import {
  type Upstream,
  type UpstreamTool,
  upstreamQuery,
  upstreamSummaryQuery,
} from "../../../data/environment/upstreams.ts";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { choicesOf, WordFilter, WordSearch } from "../../../parts/list/word-filters.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../../parts/panels/code-panel.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { Time } from "../../../parts/time.tsx";
import { type SearchWords, useAddress } from "../../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { upstreamTexts } from "../../../texts/integrations/upstreams.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { ToolOfServer } from "./tool-of-server.tsx";
import { type ChangeUpstream, useChange, WRITE } from "./use-change.ts";

const READ = "environment:agents:read";

/** The tools of the integration's MCP server, and what has changed; nothing for an integration without one. */
export function UpstreamCard({ integration }: { integration: string }) {
  const texts = useTextsOf(upstreamTexts);
  const { shell } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay(READ);
  const known = useQuery({ ...upstreamSummaryQuery(environment, integration), enabled: may });
  const isKnown = known.data !== undefined && known.data !== null;
  const query = useQuery({ ...upstreamQuery(environment, integration), enabled: isKnown });
  const failed = [known, query].find(({ isError }) => isError);
  if (!isKnown && failed === undefined) return null;
  return (
    <Card
      title={texts.title}
      actions={
        <div className="row">
          {query.data !== undefined && <RefreshButton upstream={query.data} />}
          <CodeButton
            examples={[
              curlOf("getUpstream", environment, { params: { integration } }),
              nodeOf(environment, `upstreams.get(${JSON.stringify(integration)})`),
              cliOf(`mcp tools ${quote(integration)} --environment ${quote(environment)}`),
            ]}
          />
        </div>
      }
    >
      {failed !== undefined && (
        <FaultBanner error={failed.error} onRetry={() => void failed.refetch()} />
      )}
      {query.isLoading && (
        <p role="status" className="padded">
          {shell.loading}
        </p>
      )}
      {query.data !== undefined && <Tools upstream={query.data} />}
    </Card>
  );
}

function RefreshButton({ upstream }: { upstream: Upstream }) {
  const texts = useTextsOf(upstreamTexts);
  const change = useChange(upstream);
  return (
    <>
      {change.isError && <FaultBanner error={change.error} />}
      <ScopedButton
        scope={WRITE}
        look="small"
        isPending={change.isPending}
        onPress={() => change.mutate({ kind: "refresh" })}
      >
        {texts.refresh}
      </ScopedButton>
    </>
  );
}

function Tools({ upstream }: { upstream: Upstream }) {
  const texts = useTextsOf(upstreamTexts);
  const change = useChange(upstream);
  const { failure, tools, list } = upstream;
  const { isSuccess, variables } = change;
  return (
    <>
      <p className="soft padded">{texts.text}</p>
      {failure !== null && (
        <p className="padded fault" role="alert">
          {texts.failed(plainText(failure, 300))}
        </p>
      )}
      <Server upstream={upstream} />
      {change.isError && <FaultBanner error={change.error} />}
      {tools.new > 0 && <AllowNew change={change} />}
      {list.length === 0 ? (
        <Empty title={texts.noneTitle} text={texts.noneText} />
      ) : (
        <List upstream={upstream} change={change} />
      )}
      <p role="status" className="padded">
        {isSuccess && variables.kind === "decide"
          ? texts.decided(plainText(variables.tool.name, 100))
          : ""}
      </p>
    </>
  );
}

/** Who answers, and how old the list is. */
function Server({
  upstream: { server, refreshed_at: at, expires_at: until },
}: {
  upstream: Upstream;
}) {
  const texts = useTextsOf(upstreamTexts);
  if (server === null) return null;
  const name = [server.name, server.version].filter((each) => each !== null).join(" ");
  return (
    <Facts
      rows={[
        [texts.server, plainText(name, 100)],
        [
          texts.address,
          <span key="address" className="mono">
            {plainText(server.url, 300)}
          </span>,
        ],
        [texts.protocol, texts.protocols[server.protocol]],
        [texts.isPublic, server.is_public && texts.isPublicText],
        [texts.read, at !== null && <Time at={at} />],
        [texts.until, until !== null && <Time at={until} />],
      ]}
    />
  );
}

function AllowNew({ change }: { change: ChangeUpstream }) {
  const texts = useTextsOf(upstreamTexts);
  return (
    <div className="row padded">
      {(["all", "read_only"] as const).map((allow) => (
        <ScopedButton
          key={allow}
          scope={WRITE}
          isPending={change.isPending}
          onPress={() => change.mutate({ kind: "allow", allow })}
        >
          {allow === "all" ? texts.allowAll : texts.allowReads}
        </ScopedButton>
      ))}
    </div>
  );
}

/** More are found by the search. */
const MOST_SHOWN = 100;

function List({ upstream: { list }, change }: { upstream: Upstream; change: ChangeUpstream }) {
  const texts = useTextsOf(upstreamTexts);
  const { tables } = useTexts();
  const { words, change: setWords } = useAddress();
  const found = list.filter((tool) => isFound(tool, words));
  return (
    <>
      <div className="filters padded">
        <WordSearch word="tool" label={texts.search} isInstant />
        <WordFilter word="toolState" label={texts.state} choices={choicesOf(texts.states)} />
      </div>
      {found.length === 0 && (
        <Empty title={tables.noneMatch}>
          <ScopedButton
            scope={undefined}
            onPress={() => setWords({ tool: undefined, toolState: undefined })}
          >
            {tables.clearFilters}
          </ScopedButton>
        </Empty>
      )}
      {found.slice(0, MOST_SHOWN).map((tool) => (
        <ToolOfServer
          // What is decided about is the version that was shown.
          key={`${tool.name} ${tool.server_url} ${tool.changed?.definition.digest}`}
          tool={tool}
          isPending={change.isPending}
          onDecide={(decision) => change.mutate({ kind: "decide", tool, ...decision })}
        />
      ))}
      {found.length > MOST_SHOWN && (
        <p className="soft padded">{texts.more(formatNumber(found.length - MOST_SHOWN))}</p>
      )}
    </>
  );
}

function isFound({ name, state, definition }: UpstreamTool, words: SearchWords): boolean {
  const { tool: text = "", toolState } = words;
  if (toolState !== undefined && toolState !== state) return false;
  return `${name} ${definition.description}`.toLowerCase().includes(text.toLowerCase());
}
