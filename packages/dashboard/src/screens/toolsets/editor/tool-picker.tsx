import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { type PreviewTool, toolsOfQuery } from "../../../data/agents/toolsets.ts";
import { Badge } from "../../../parts/badge.tsx";
import { SearchBox } from "../../../parts/filters/search-box.tsx";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Empty } from "../../../parts/panels/empty.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { effectTones } from "../toolset-words.ts";

/** More are found by the search. */
const MOST_SHOWN = 60;

/** Tools of an integration by name, each with its effect and cost; those that are chosen come first. */
export function ToolPicker({
  integration,
  chosen,
  onChange,
}: {
  integration: string;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const { shell } = useTexts();
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(toolsOfQuery(environment, integration));
  const [search, setSearch] = useState("");
  // In their order when the form opened: a click moves nothing.
  const [first] = useState(() => new Set(chosen));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">{shell.loading}</p>;
  const known = query.data.tools.toSorted(
    (one, other) => Number(first.has(other.action)) - Number(first.has(one.action)),
  );
  const gone = chosen.filter((name) => !known.some(({ action }) => action === name));
  const wanted = search.toLowerCase();
  const found = known.filter(({ name, title = "", description }) =>
    `${name} ${title} ${description}`.toLowerCase().includes(wanted),
  );
  const shown = found.slice(0, MOST_SHOWN);
  const more = found.length - shown.length + (query.data.count - known.length);
  if (known.length === 0 && gone.length === 0) return <Empty title={texts.noToolsOf} />;
  return (
    <div className="stack">
      <div className="row">
        <SearchBox isInstant label={texts.toolSearch} value={search} onSearch={setSearch} />
        <span className="soft" role="status">
          {texts.chosen(formatNumber(chosen.length), formatNumber(query.data.count))}
        </span>
        <Button
          className="button small"
          onPress={() => onChange([...new Set([...chosen, ...shown.map(({ action }) => action)])])}
        >
          {texts.selectShown}
        </Button>
        <Button className="button small" onPress={() => onChange([])}>
          {texts.selectNone}
        </Button>
      </div>
      {found.length === 0 && <p className="soft">{texts.noToolMatches}</p>}
      <CheckboxGroup
        className="tool-choices"
        aria-label={texts.someTools}
        value={[...chosen]}
        onChange={onChange}
      >
        {gone.map((name) => (
          <Checkbox key={name} className="choice" value={name}>
            <span className="grow">
              <del className="mono">{plainText(name, 80)}</del>{" "}
              <span className="soft">{texts.noSuchTool}</span>
            </span>
          </Checkbox>
        ))}
        {shown.map((tool) => (
          <ToolChoice key={tool.name} tool={tool} />
        ))}
      </CheckboxGroup>
      {more > 0 && <p className="soft">{texts.moreTools(formatNumber(more))}</p>}
    </div>
  );
}

function ToolChoice({ tool }: { tool: PreviewTool }) {
  const texts = useTextsOf(toolsetTexts);
  return (
    <Checkbox className="choice" value={tool.action}>
      <span className="grow">
        <span className="mono">{plainText(tool.action, 80)}</span>{" "}
        <span className="soft">{plainText(tool.title ?? tool.description, 120)}</span>
      </span>
      <Badge tone={effectTones[tool.effect]}>{texts.effects[tool.effect]}</Badge>
      <span className="mono number tool-tokens">{formatNumber(tool.tokens)}</span>
    </Checkbox>
  );
}
