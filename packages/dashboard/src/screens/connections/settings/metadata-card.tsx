import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../../data/api.ts";
import type { Connection, ConnectionName } from "../../../data/connections.ts";
import { queryClient } from "../../../data/query-client.ts";
import { JsonInput, parseJson } from "../../../parts/editor/json-input.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";

const DiffView = lazy(async () => ({
  default: (await import("../../../parts/code/diff-view.tsx")).DiffView,
}));

/** The customer's own data: shown, edited when asked for, and compared with what is stored before it is saved. */
export function MetadataCard({
  connection,
  name,
}: {
  connection: Connection;
  name: ConnectionName;
}) {
  const { connections: texts, tables } = useTexts();
  const own = useTextsOf(connectionTexts);
  const [isEdited, setEdited] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const value = connection.metadata ?? {};
  return (
    <Card
      title={texts.metadata}
      actions={
        <span className="row">
          <span className="soft" role="status">
            {isSaved ? tables.saved : ""}
          </span>
          {!isEdited && (
            <ScopedButton
              look="small"
              scope="environment:connections:update"
              onPress={() => {
                setSaved(false);
                setEdited(true);
              }}
            >
              {own.edit}
            </ScopedButton>
          )}
        </span>
      }
    >
      {isEdited ? (
        <Editor
          stored={value}
          name={name}
          onEnd={(hasSaved) => {
            setSaved(hasSaved);
            setEdited(false);
          }}
        />
      ) : (
        <JsonView label={texts.metadata} value={value} />
      )}
    </Card>
  );
}

/** Two steps: the text, then what it changes. What is stored may change meanwhile; the comparison is with the latest. */
function Editor({
  stored,
  name,
  onEnd,
}: {
  stored: object;
  name: ConnectionName;
  onEnd: (hasSaved: boolean) => void;
}) {
  const { connections: texts, tables } = useTexts();
  const own = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const [typed, setTyped] = useState(() => toText(stored));
  const [isReviewed, setReviewed] = useState(false);
  const { value, fault } = readObject(typed, own);
  const save = useMutation({
    mutationFn: async (metadata: object) => {
      const body = {
        connection_id: name.id,
        provider_config_key: name.integration,
        metadata: Object(metadata),
      };
      await callApi("setMetadata", { environment, body });
      await queryClient.invalidateQueries({ queryKey: ["connection", environment, name] });
    },
    onSuccess: () => onEnd(true),
    // What is wrong with the text is said where it is.
    onError: () => setReviewed(false),
  });
  const isChanged = value !== undefined && toText(value) !== toText(stored);
  if (isReviewed && value !== undefined) {
    return (
      <div className="stack padded">
        <p className="soft">{own.reviewText}</p>
        <Suspense fallback={<p role="status">{tables.loadingRows}</p>}>
          <DiffView label={own.changes} before={toText(stored)} after={toText(value)} />
        </Suspense>
        <div className="row">
          <Button className="button" onPress={() => setReviewed(false)}>
            {own.backToText}
          </Button>
          <ScopedButton
            look="primary"
            scope="environment:connections:update"
            isDisabled={!isChanged}
            isPending={save.isPending}
            onPress={() => save.mutate(value)}
          >
            {own.saveMetadata}
          </ScopedButton>
        </div>
      </div>
    );
  }
  return (
    <div className="stack padded">
      <JsonInput label={texts.metadata} value={typed} fault={fault} onChange={setTyped} />
      {save.isError && <FaultBanner error={save.error} />}
      <p className="help">{texts.metadataHelp}</p>
      <div className="row">
        <Button className="button" onPress={() => onEnd(false)}>
          {tables.cancel}
        </Button>
        <Button
          className="button primary"
          isDisabled={!isChanged}
          onPress={() => {
            save.reset();
            setReviewed(true);
          }}
        >
          {own.review}
        </Button>
      </div>
    </div>
  );
}

function toText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

function readObject(
  text: string,
  own: { readonly notJson: (fault: string) => string; readonly noObject: string },
): { value?: object; fault?: string } {
  const parsed = parseJson(text);
  if ("fault" in parsed) return { fault: own.notJson(parsed.fault) };
  const { value } = parsed;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { value } : { fault: own.noObject };
}
