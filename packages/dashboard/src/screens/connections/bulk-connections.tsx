import { useState } from "react";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import type { BulkWish } from "../../data/bulk.ts";
import {
  type Connection,
  type ConnectionFilter,
  givenTags,
  timesOf,
} from "../../data/connections.ts";
import { BulkButton } from "../../parts/bulk/bulk-button.tsx";
import type { Chosen } from "../../parts/bulk/selection-bar.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { ReconnectLinksButton } from "./reconnect-links.tsx";

const changes = ["connections", "connection-counts"];

/** What can be done with many connections at once. */
export function BulkConnections({
  chosen,
  filter,
}: {
  chosen: Chosen<Connection>;
  filter: ConnectionFilter;
}) {
  const { connections: texts } = useTexts();
  const target = targetOf(chosen, filter);
  return (
    <>
      <BulkButton
        label={texts.bulkRefresh}
        title={texts.bulkRefreshTitle}
        scope="environment:connections:refresh"
        wish={{ action: "connections:refresh", ...target }}
        confirm={texts.confirmRefresh}
        changes={changes}
      />
      <ReconnectLinksButton target={target} />
      <TagButton target={target} />
      <BulkButton
        label={texts.bulkDelete}
        title={texts.bulkDeleteTitle}
        scope="environment:connections:delete"
        wish={{ action: "connections:delete", ...target }}
        confirm={texts.confirmDelete}
        isDangerous
        changes={changes}
      >
        <p>{texts.bulkDeleteText}</p>
      </BulkButton>
    </>
  );
}

function TagButton({ target }: { target: Partial<BulkWish> }) {
  const { connections: texts } = useTexts();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const isGiven = name !== "" && value !== "";
  return (
    <BulkButton
      label={texts.bulkTag}
      title={texts.bulkTagTitle}
      scope="environment:connections:update"
      wish={isGiven ? { action: "connections:tag", ...target, tags: { [name]: value } } : undefined}
      confirm={texts.confirmTag}
      changes={changes}
    >
      <div className="row">
        <TextField className="text-field" value={name} onChange={setName} autoComplete="off">
          <Label className="label">{texts.tagName}</Label>
          <Input className="input mono" maxLength={64} />
        </TextField>
        <TextField className="text-field" value={value} onChange={setValue} autoComplete="off">
          <Label className="label">{texts.tagValue}</Label>
          <Input className="input mono" maxLength={255} />
        </TextField>
      </div>
    </BulkButton>
  );
}

/** The filter of the list, as jobs take it. */
export function bulkFilterOf({ state, integrationId, search, tags, ...times }: ConnectionFilter) {
  const named = { state, provider_config_key: integrationId, search };
  return { ...named, tags: givenTags(tags), ...timesOf(times) };
}

/** Rows by their names; all, by the filter of the list. */
function targetOf(
  chosen: Chosen<Connection>,
  filter: ConnectionFilter,
): Pick<BulkWish, "connections" | "filter"> {
  if (chosen.kind === "all") return { filter: bulkFilterOf(filter) };
  return {
    connections: chosen.rows.map(({ provider_config_key, connection_id }) => ({
      provider_config_key,
      connection_id,
    })),
  };
}
