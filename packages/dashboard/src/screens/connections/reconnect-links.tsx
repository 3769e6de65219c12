import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import type { BulkWish } from "../../data/bulk.ts";
import { saveFile } from "../../data/download.ts";
import { type ReconnectLinks, readLinksAgain } from "../../data/environment/connect-links.ts";

import { toCsv } from "../../parts/csv.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { ChoiceQuestion } from "../../parts/panels/choice-question.tsx";
import {
  type CodeExample,
  cliOf,
  curlOf,
  nodeCall,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** As many as the API makes at a time. */
const MOST_LINKS = 500;

const SECONDS_AN_HOUR = 3600;

type Target = Pick<BulkWish, "connections" | "filter">;

/** Links for the end users of the chosen connections that have to be authorized again, as a file. */
export function ReconnectLinksButton({ target }: { target: Target }) {
  const { connectLinks: texts } = useTexts();
  return (
    <DialogButton label={texts.bulk} scope="environment:connect_sessions:write" isWide>
      {(close) => <Links target={target} onEnd={close} />}
    </DialogButton>
  );
}

function Links({ target, onEnd }: { target: Target; onEnd: () => void }) {
  const { connectLinks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const [life, setLife] = useState("604800");
  const body = Object({ ...target, expires_in_seconds: Number(life) });
  const isTooMany = (target.connections?.length ?? 0) > MOST_LINKS;
  const make = useMutation({
    mutationFn: async () => {
      return (await callApi("createReconnectLinks", { environment, body })).data;
    },
    onSuccess: async () => await readLinksAgain(environment),
    // The answer holds tokens: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined) return <Made made={make.data} onEnd={onEnd} />;
  return (
    <ChoiceQuestion
      label={texts.life}
      value={life}
      choices={choicesOf(texts.lives)}
      onChange={setLife}
      act={make}
      confirm={texts.confirmBulk}
      code={[
        curlOf("createReconnectLinks", environment, { body }),
        nodeCall(environment, "connectLinks.createReconnect", body),
        ...commandOf(environment, target, life),
      ]}
      isDisabled={isTooMany}
      onEnd={onEnd}
    >
      <p>{texts.bulkText}</p>
      {isTooMany && (
        <p className="banner warn" role="status">
          {texts.bulkMost(formatNumber(MOST_LINKS))}
        </p>
      )}
    </ChoiceQuestion>
  );
}

function Made({ made: { links, skipped }, onEnd }: { made: ReconnectLinks; onEnd: () => void }) {
  const { connectLinks: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const save = () => {
    const blob = new Blob([csvOf(links)], { type: "text/csv" });
    saveFile(blob, `${environment}-reconnect-links.csv`);
  };
  return (
    <>
      <p role="status">
        {links.length === 0 ? texts.noLinks : texts.madeLinks(formatNumber(links.length))}
      </p>
      {links.length > 0 && <p className="banner warn">{texts.shownOnce}</p>}
      {skipped.length > 0 && (
        <>
          <p>{texts.skipped(formatNumber(skipped.length))}</p>
          <ul className="rows">
            {skipped.map(({ provider_config_key: integration, connection_id: id, reason }) => (
              <li key={`${integration} ${id}`}>
                <span className="mono">{plainText(id, 80)}</span>
                <span>{texts.reasons[reason]}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="row">
        <Button className="button" onPress={onEnd}>
          {tables.close}
        </Button>
        {links.length > 0 && (
          <Button className="button primary" onPress={save}>
            {texts.saveCsv}
          </Button>
        )}
      </div>
    </>
  );
}

/** The command takes an integration, a text, and connections of one integration; other filters it does not know. */
function commandOf(
  environment: string,
  { connections, filter }: Target,
  life: string,
): readonly CodeExample[] {
  const { provider_config_key: integration, search, ...others } = Object(filter);
  const named = (connections ?? []).map(Object);
  const integrations = new Set([
    ...(integration === undefined ? [] : [integration]),
    ...named.map(({ provider_config_key: key }) => key),
  ]);
  const isUnknown = Object.values(others).some((value) => value !== undefined);
  if (isUnknown || integrations.size > 1) return [];
  const options = [
    ...[...integrations].map((key) => `--integration ${quote(String(key))}`),
    ...(search === undefined ? [] : [`--search ${quote(String(search))}`]),
    ...(named.length === 0
      ? []
      : [`--connection ${named.map(({ connection_id: id }) => quote(String(id))).join(" ")}`]),
    `--expires-in ${Number(life) / SECONDS_AN_HOUR}`,
    `--environment ${quote(environment)}`,
  ];
  return [cliOf(["links reconnect", ...options].join(" "))];
}

/** Names of the columns are those of the API, since programs read the file as well. */
function csvOf(links: ReconnectLinks["links"]): string {
  const tagNames = ["end_user_id", "end_user_display_name", "end_user_email", "organization_id"];
  const head = ["provider_config_key", "connection_id", ...tagNames, "expires_at", "url"];
  const rows = links.map(({ link, url }) => [
    link.reconnects?.provider_config_key ?? "",
    link.reconnects?.connection_id ?? "",
    ...tagNames.map((name) => link.tags[name] ?? ""),
    link.expires_at,
    url,
  ]);
  return toCsv(head, rows);
}
