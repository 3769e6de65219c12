import { callApi } from "../../../data/api.ts";
import {
  type Connection,
  type ConnectionName,
  callOfConnection,
} from "../../../data/connections.ts";
import { queryClient } from "../../../data/query-client.ts";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../../parts/forms/save-form.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { pairsOf, toPairLines } from "../connection-words.ts";
import { DeleteConnection } from "../delete-connection.tsx";
import { ConfigCard } from "../settings/config-card.tsx";
import { MetadataCard } from "../settings/metadata-card.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  webhooks: "webhook_url_override",
};

/** What can be changed of a connection. */
export function SettingsTab({
  connection,
  name,
}: {
  connection: Connection;
  name: ConnectionName;
}) {
  return (
    <div className="columns">
      <div className="stack">
        <MetadataCard connection={connection} name={name} />
        <Belongs connection={connection} name={name} />
        <div className="row">
          <DeleteConnection connection={connection} name={name} />
        </div>
      </div>
      <div className="stack">
        <ConfigCard connection={connection} name={name} />
      </div>
    </div>
  );
}

/** Whom it belongs to, and where its webhooks go. */
function Belongs({ connection, name }: { connection: Connection; name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { tags, webhook_url_override: override } = connection;
  return (
    <SaveForm
      values={valuePaths}
      title={texts.belongs}
      scope="environment:connections:update"
      onSave={async (form) => {
        const body = {
          tags: pairsOf(linesOf(form, "tags")),
          webhook_url_override: String(form.get("webhooks")).trim(),
        };
        await callApi("updateConnection", { environment, ...callOfConnection(name), body });
        await queryClient.invalidateQueries({ queryKey: ["connection", environment, name] });
      }}
    >
      <LinesInput
        label={texts.tags}
        name="tags"
        help={texts.tagsHelp}
        initial={toPairLines(tags)}
      />
      <TextInput
        isOptional
        label={texts.webhookUrl}
        name="webhooks"
        autoComplete="off"
        help={texts.webhookHelp}
        initial={override ?? ""}
      />
    </SaveForm>
  );
}
