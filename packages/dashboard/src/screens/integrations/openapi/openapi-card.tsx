import { useQuery } from "@tanstack/react-query";
import {
  type ApiDocument,
  apiDocumentQuery,
  setApiDocument,
} from "../../../data/agents/api-documents.ts";
import { callApi } from "../../../data/api.ts";
import { Badge, type Tone } from "../../../parts/badge.tsx";
import { plainText } from "../../../parts/formats.ts";
import { WordSearch } from "../../../parts/list/word-filters.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import {
  CodeButton,
  cliOf,
  curlOf,
  nodeCall,
  nodeOf,
  quote,
} from "../../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../../parts/panels/confirm-button.tsx";
import { DialogButton } from "../../../parts/panels/dialog-button.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { apiDocumentTexts } from "../../../texts/integrations/api-documents.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { DocumentForm } from "./document-form.tsx";

/** The integration's OpenAPI document: which of its operations are tools of agents, and why others are not. */
export function OpenapiCard({ integration }: { integration: string }) {
  const texts = useTextsOf(apiDocumentTexts);
  const { shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(apiDocumentQuery(environment, integration));
  return (
    <Card
      title={texts.title}
      actions={
        <div className="row">
          {!query.isPending && <SendButton integration={integration} known={query.data ?? null} />}
          {query.data != null && <RemoveButton integration={integration} />}
          <CodeButton
            examples={[
              curlOf("getApiDocument", environment, { params: { uniqueKey: integration } }),
              nodeOf(environment, `integrations.getApiDocument(${JSON.stringify(integration)})`),
              cliOf(`integrations openapi ${quote(integration)} openapi.yaml`),
            ]}
          />
        </div>
      }
    >
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && (
        <p role="status" className="padded">
          {shell.loading}
        </p>
      )}
      {query.data === null && <Empty title={texts.none} text={texts.noneText} />}
      {query.data != null && <Operations document={query.data} />}
    </Card>
  );
}

function SendButton({ integration, known }: { integration: string; known: ApiDocument | null }) {
  const texts = useTextsOf(apiDocumentTexts);
  return (
    <DialogButton
      label={known === null ? texts.add : texts.replace}
      title={texts.sendTitle}
      scope="environment:agents:write"
      isWide
    >
      {(close) => <DocumentForm integration={integration} known={known} onSaved={close} />}
    </DialogButton>
  );
}

function RemoveButton({ integration }: { integration: string }) {
  const texts = useTextsOf(apiDocumentTexts);
  const { name: environment } = useEnvironment();
  return (
    <ConfirmButton
      label={texts.remove}
      title={texts.removeTitle}
      text={texts.removeText}
      confirm={texts.removeDo}
      code={[
        curlOf("deleteApiDocument", environment, { params: { uniqueKey: integration } }),
        nodeCall(environment, "integrations.deleteApiDocument", integration),
        cliOf(
          `integrations openapi ${quote(integration)} --remove --environment ${quote(environment)}`,
        ),
      ]}
      scope="environment:agents:write"
      onConfirm={async () => {
        await callApi("deleteApiDocument", { environment, params: { uniqueKey: integration } });
        setApiDocument(environment, integration, null);
      }}
    />
  );
}

/** More are found by the search. */
const MOST_SHOWN = 100;
const tones: Readonly<Record<string, Tone>> = { read: "good", write: "warn", destructive: "bad" };

function Operations({ document }: { document: ApiDocument }) {
  const texts = useTextsOf(apiDocumentTexts);
  const { approvals, tables } = useTexts();
  const search = useAddress().words["operation"] ?? "";
  const { operations, left_out: leftOut, excluded } = document;
  const words = search.toLowerCase();
  const found = operations.filter(({ name, method, path, title }) =>
    `${name} ${method} ${path} ${title}`.toLowerCase().includes(words),
  );
  return (
    <div className="stack padded">
      <p>
        {plainText(`${document.title} ${document.version}`, 200)}:{" "}
        {texts.count(String(operations.length))} {excluded > 0 && texts.excluded(String(excluded))}
      </p>
      <div className="filters">
        <WordSearch word="operation" label={texts.search} isInstant />
      </div>
      {found.length === 0 && <Empty title={tables.noneMatch} />}
      <PlainTable
        label={texts.operations}
        keyOf={({ name }) => name}
        rows={found.slice(0, MOST_SHOWN)}
        columns={[
          { header: texts.tool, cell: ({ name }) => <code>{plainText(name, 80)}</code> },
          { header: texts.request, cell: (each) => plainText(`${each.method} ${each.path}`, 120) },
          {
            header: texts.effect,
            cell: ({ effect, hidden_by: hiddenBy }) => (
              <>
                <Badge tone={tones[effect] ?? "idle"}>{approvals.effects[effect]}</Badge>
                {hiddenBy !== undefined && ` ${texts.hidden}`}
              </>
            ),
          },
          { header: texts.tokens, isNumber: true, cell: ({ tokens }) => tokens },
        ]}
      />
      {found.length > MOST_SHOWN && (
        <p className="soft">{texts.more(String(found.length - MOST_SHOWN))}</p>
      )}
      {leftOut.length > 0 && (
        <PlainTable
          label={texts.leftOut}
          keyOf={({ operation }) => operation}
          rows={leftOut.slice(0, MOST_SHOWN)}
          columns={[
            { header: texts.leftOut, cell: ({ operation }) => plainText(operation, 120) },
            { header: texts.reason, cell: ({ reason }) => plainText(reason, 200) },
          ]}
        />
      )}
      {leftOut.length > MOST_SHOWN && (
        <p className="soft">{texts.moreLeftOut(String(leftOut.length - MOST_SHOWN))}</p>
      )}
    </div>
  );
}
