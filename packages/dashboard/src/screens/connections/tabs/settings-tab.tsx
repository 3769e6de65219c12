import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField } from "react-aria-components/TextField";
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
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { DeleteConnection } from "../delete-connection.tsx";

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
  const { connections: texts } = useTexts();
  return (
    <div className="columns">
      <div className="stack">
        <Metadata connection={connection} name={name} />
        <Belongs connection={connection} name={name} />
        <div className="row">
          <DeleteConnection connection={connection} name={name} />
        </div>
      </div>
      <div className="stack">
        <Card title={texts.config}>
          <JsonView label={texts.config} value={connection.connection_config} />
        </Card>
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
          tags: tagsOf(linesOf(form, "tags")),
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
        initial={Object.entries(tags).map(([key, value]) => `${key}=${value}`)}
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

/** `key=value` in each line. */
function tagsOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [key = "", ...value] = line.split("=");
      return [key.trim(), value.join("=").trim()];
    }),
  );
}

function Metadata({ connection, name }: { connection: Connection; name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:connections:update");
  const stored = JSON.stringify(connection.metadata ?? {}, undefined, 2);
  const [typed, setTyped] = useState(stored);
  const value = parseObject(typed);
  const save = useMutation({
    mutationFn: async (metadata: object) => {
      const body = {
        connection_id: name.id,
        provider_config_key: name.integration,
        metadata: Object(metadata),
      };
      return await callApi("setMetadata", { environment, body });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["connection", environment, name] });
    },
  });
  return (
    <Card title={texts.metadata}>
      <div className="stack padded">
        {save.isError && <FaultBanner error={save.error} />}
        <TextField
          className="text-field"
          value={typed}
          onChange={setTyped}
          isReadOnly={!may}
          isInvalid={value === undefined}
          validationBehavior="aria"
        >
          <Label className="hidden">{texts.metadata}</Label>
          <TextArea className="input mono" rows={8} spellCheck={false} />
          <Text slot="description" className="help">
            {texts.metadataHelp}
          </Text>
          <FieldError className="fault">{texts.notJson}</FieldError>
        </TextField>
        <div className="row">
          <ScopedButton
            look="primary"
            scope="environment:connections:update"
            isDisabled={value === undefined || typed === stored}
            isPending={save.isPending}
            onPress={() => {
              if (value !== undefined) save.mutate(value);
            }}
          >
            {texts.save}
          </ScopedButton>
          <span role="status">{save.isSuccess && typed === stored ? texts.saved : ""}</span>
        </div>
      </div>
    </Card>
  );
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
