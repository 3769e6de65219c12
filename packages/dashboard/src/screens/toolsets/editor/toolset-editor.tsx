import { useMutation, useQuery } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Form } from "react-aria-components/Form";
import {
  type Draft,
  emptyDraft,
  settingsOf,
  toBody,
  toDraft,
} from "../../../data/agents/toolset-draft.ts";
import {
  previewQuery,
  putToolset,
  type Toolset,
  type ToolsetBody,
} from "../../../data/agents/toolsets.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { useSettled } from "../../../parts/forms/use-settled.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton, ScopeNote } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { toolsetPage, WRITE } from "../toolset-words.ts";
import { ApiCard } from "./api-card.tsx";
import { ClientsCard } from "./clients-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { ModeCard } from "./mode-card.tsx";
import { faultsOf } from "./part-props.ts";
import { PolicyCard } from "./policy-card.tsx";
import { PreviewCard } from "./preview-card.tsx";
import { ToolsCard } from "./tools-card.tsx";

/** The form of a toolset. What it gives an agent is shown next to it while it changes. */
export function ToolsetEditor({ known }: { known?: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const [draft, setDraft] = useState(() => (known === undefined ? emptyDraft : toDraft(known)));
  const [name, setName] = useState(known?.name ?? "");
  const body = toBody(draft);
  const settled = useSettled(JSON.stringify(body));
  const asked: ToolsetBody = JSON.parse(settled);
  const preview = useQuery({
    ...previewQuery(environment, asked),
    enabled: asked.tools.length > 0 || asked.api !== undefined,
    retry: false,
  });
  const shown = useLast(preview.data);
  const { save, isChanged } = useSave({ known, name, body });
  const faultAt = faultsOf(save.error ?? preview.error);
  const change = (changed: Partial<Draft>) => {
    save.reset();
    setDraft((before) => ({ ...before, ...changed }));
  };
  const part = { draft, change, faultAt };
  return (
    <Form
      className="columns"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="stack">
        <Card title={texts.about}>
          <div className="stack padded">
            {known === undefined && (
              <TextInput
                autoFocus
                label={texts.name}
                name="toolset-name"
                autoComplete="off"
                help={texts.nameHelp}
                value={name}
                onChange={setName}
                fault={faultAt("name")}
              />
            )}
            <TextInput
              isOptional
              label={texts.description}
              name="description"
              autoComplete="off"
              help={texts.descriptionHelp}
              value={draft.description}
              onChange={(description) => change({ description })}
              fault={faultAt("description")}
            />
          </div>
        </Card>
        <ToolsCard {...part} />
        <ModeCard {...part} />
        <PolicyCard {...part} />
        <ApiCard {...part} asked={asked} />
        <LimitsCard {...part} />
        <ClientsCard {...part} />
      </div>
      <div className="stack">
        <div className="stack sticky">
          <Card title={texts.saveTitle}>
            <div className="stack padded">
              {save.isError && <FaultBanner error={save.error} />}
              {known !== undefined && <p className="soft">{texts.saveText}</p>}
              <ScopeNote scope={WRITE} />
              <div className="row">
                <ScopedButton
                  scope={WRITE}
                  type="submit"
                  look="primary"
                  isDisabled={name.trim() === "" || !(isChanged || known === undefined)}
                  isPending={save.isPending}
                >
                  {known === undefined ? texts.create : texts.save}
                </ScopedButton>
                <CodeButton
                  text={texts.codeText}
                  examples={[
                    curlOf("putToolset", environment, { params: { name: name || "name" }, body }),
                    nodeOf(
                      environment,
                      `toolsets.put(${JSON.stringify(name || "name")}, ${JSON.stringify(body)})`,
                    ),
                    cliOf(
                      `toolsets save ${quote(name || "name")} --file toolset.json --environment ${quote(environment)}`,
                    ),
                  ]}
                />
                <span role="status">
                  {shown !== undefined &&
                    `${texts.count(formatNumber(shown.count))}, ${texts.listTokens(formatNumber(shown.tokens))}`}
                </span>
              </div>
            </div>
          </Card>
          <PreviewCard
            preview={preview}
            data={shown}
            isCurrent={settled === JSON.stringify(body)}
          />
        </div>
      </div>
    </Form>
  );
}

/** What was there last: a form that is half written has no preview of its own. */
function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value);
  useEffect(() => {
    if (value !== undefined) last.current = value;
  }, [value]);
  return value ?? last.current;
}

function useSave({
  known,
  name,
  body,
}: {
  known: Toolset | undefined;
  name: string;
  body: ToolsetBody;
}) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const isSaved = useRef(false);
  const before = known === undefined ? toBody(emptyDraft) : settingsOf(known);
  const isChanged = JSON.stringify(sorted(before)) !== JSON.stringify(sorted(body));
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      !isSaved.current &&
      current.pathname !== next.pathname &&
      !window.confirm(texts.leave),
    enableBeforeUnload: () => isChanged && !isSaved.current,
  });
  const save = useMutation({
    mutationFn: async () => {
      const made = await putToolset(environment, name.trim(), body);
      isSaved.current = true;
      await navigate(toolsetPage(environment, made.name));
    },
  });
  return { save, isChanged };
}

/** The order of keys says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
