import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { settingsOf } from "../../data/agents/toolset-draft.ts";
import {
  putToolset,
  type Toolset,
  toolsetVersionQuery,
  toolsetVersionsQuery,
} from "../../data/agents/toolsets.ts";
import { Badge } from "../../parts/badge.tsx";
import { DiffView } from "../../parts/code/diff-view.tsx";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { toolsetPage, WRITE } from "./toolset-words.ts";

/** All versions, what one holds that another does not, and the way back to an earlier one. */
export function VersionsTab({ toolset }: { toolset: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const { name, version: newest } = toolset;
  const list = usePagedRows(toolsetVersionsQuery(environment, name));
  const shown = numberOf(words["version"], newest) ?? newest;
  const against = numberOf(words["against"], newest) ?? shown - 1;
  const others = list.rows.map(({ version }) => version).filter((version) => version !== shown);
  return (
    <div className="columns">
      <div className="stack">
        <Compared key={`${against} ${shown}`} name={name} before={against} after={shown} />
      </div>
      <div className="stack">
        <Card
          title={texts.tabs.versions}
          actions={
            others.includes(against) && (
              <SingleSelect
                label={texts.compareWith}
                chosen={String(against)}
                choices={others.map((each) => ({
                  id: String(each),
                  text: `${texts.compareWith} ${each}`,
                }))}
                onChange={(chosen) => change({ against: chosen })}
              />
            )
          }
        >
          {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
          <ol className="rows">
            {list.rows.map(({ version, created_at: at }) => (
              <li key={version}>
                <Go
                  target={{
                    ...toolsetPage(environment, name, "versions"),
                    search: { version: String(version) },
                  }}
                  aria-current={version === shown ? "true" : undefined}
                >
                  {texts.settings(version)}
                </Go>
                {version === newest && <Badge tone="good">{texts.current}</Badge>}
                <Time at={at} />
              </li>
            ))}
          </ol>
          {list.hasMore && (
            <p className="padded">
              <Button className="button" onPress={list.readMore}>
                {texts.moreVersions}
              </Button>
            </p>
          )}
        </Card>
        {shown !== newest && <GoBack key={shown} name={name} version={shown} />}
      </div>
    </div>
  );
}

/** Of a version that there may be. */
function numberOf(word: string | undefined, newest: number): number | undefined {
  const number = Number(word);
  return Number.isInteger(number) && number >= 1 && number <= newest ? number : undefined;
}

function Compared({ name, before, after }: { name: string; before: number; after: number }) {
  const { shell } = useTexts();
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const shown = useQuery(toolsetVersionQuery(environment, name, String(after)));
  const earlier = useQuery({
    ...toolsetVersionQuery(environment, name, String(before)),
    enabled: before > 0,
  });
  const failed = [shown, earlier].find(({ isError }) => isError);
  if (failed !== undefined) {
    return <FaultBanner error={failed.error} onRetry={() => void failed.refetch()} />;
  }
  if (shown.data === undefined) return <p role="status">{shell.loading}</p>;
  const title = texts.compareTo(before, after);
  const texted = textOf(shown.data);
  return (
    <>
      {earlier.data !== undefined && (
        <Card title={title}>
          {textOf(earlier.data) === texted ? (
            <p className="soft padded">{texts.noDifference}</p>
          ) : (
            <DiffView before={textOf(earlier.data)} after={texted} label={title} />
          )}
        </Card>
      )}
      <Card title={texts.settings(after)}>
        <JsonView label={texts.settings(after)} value={settingsOf(shown.data)} />
      </Card>
    </>
  );
}

/** A name that the whole of it has comes first, so that versions differ where they say something else. */
function textOf(toolset: Toolset): string {
  return JSON.stringify(sorted(settingsOf(toolset)), undefined, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

function GoBack({ name, version }: { name: string; version: number }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment, is_production: isProduction } = useEnvironment();
  const { change } = useAddress();
  const { data } = useQuery(toolsetVersionQuery(environment, name, String(version)));
  return (
    <Card title={texts.settings(version)}>
      <p className="padded">
        <ConfirmButton
          label={texts.goBack}
          title={texts.goBackTitle(version)}
          look="primary"
          scope={WRITE}
          isDisabled={data === undefined}
          text={texts.goBackText(version)}
          confirm={isProduction ? texts.inProduction(texts.goBack, environment) : texts.goBack}
          code={
            data && [
              curlOf("putToolset", environment, { params: { name }, body: settingsOf(data) }),
              nodeCall(environment, "toolsets.put", name, settingsOf(data)),
              cliOf(
                `toolsets save ${quote(name)} --file toolset.json --environment ${quote(environment)}`,
              ),
            ]
          }
          onConfirm={async () => {
            if (data === undefined) return;
            await putToolset(environment, name, settingsOf(data));
            change({ version: undefined, against: undefined });
          }}
        />
      </p>
    </Card>
  );
}
