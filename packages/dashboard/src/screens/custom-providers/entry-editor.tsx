import { useMutation, useQuery } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Form } from "react-aria-components/Form";
import { ApiError } from "../../data/api.ts";
import {
  type CustomProvider,
  entryCheckQuery,
  saveCustomProvider,
} from "../../data/custom-providers/custom-providers.ts";
import { tidyEntry, toFault } from "../../data/custom-providers/entry.ts";
import type { Entry } from "../../data/custom-providers/entry-modes.ts";
import { isOn } from "../../parts/forms/toggle-input.tsx";
import { useSettled } from "../../parts/forms/use-settled.ts";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { EntryForm } from "./entry-form.tsx";
import { EntryJson } from "./entry-json.tsx";
import { providerPage } from "./provider-words.ts";
import { SaveCard } from "./save-card.tsx";

const views = ["form", "json"] as const;

/** The entry of a provider as a form or as JSON; what is wrong with it is said while it is typed. */
export function EntryEditor({ beginning, known }: { beginning: Entry; known?: CustomProvider }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const [entry, setEntry] = useState(beginning);
  const [isJson, setJson] = useState(true);
  const tidy = tidyEntry(entry);
  const settled = useSettled(JSON.stringify(tidy));
  const check = useQuery(entryCheckQuery(environment, JSON.parse(settled)));
  const { save, isChanged } = useSave({ beginning, known, entry: tidy });
  const refused = save.error instanceof ApiError ? save.error.details : [];
  const faults = [
    ...(check.data?.faults ?? []).map(toFault),
    ...refused.map(({ path = [], message = "" }) => ({ path: path.slice(1).join("."), message })),
  ];
  const change = (changed: Entry) => {
    save.reset();
    setEntry(changed);
  };
  // Of a form that nobody has touched, what is missing is no fault yet.
  const isBegun = isChanged || known !== undefined || faults.length === 0;
  const view = views.find((one) => one === words["view"]) ?? "form";
  return (
    <Form
      className="columns"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(isOn(new FormData(event.currentTarget), "replaces"));
      }}
    >
      <div className="stack">
        <LinkTabs
          tabs={views.map((id) => ({
            id,
            text: texts.views[id],
            target: { to: ".", search: { ...words, view: id === "form" ? undefined : id } },
            isCurrent: id === view,
          }))}
        />
        {view === "form" ? (
          <EntryForm
            {...{ entry, onChange: change, isNew: known === undefined }}
            faults={isBegun ? faults : []}
          />
        ) : (
          <EntryJson entry={tidy} onChange={change} onValid={setJson} />
        )}
      </div>
      <div className="stack stays">
        <SaveCard
          environment={environment}
          entry={tidy}
          faults={faults}
          isBegun={isBegun}
          isForm={view === "form"}
          isChecked={!check.isFetching && settled === JSON.stringify(tidy)}
          isReady={(view === "form" || isJson) && (isChanged || known === undefined)}
          known={known}
          save={save}
          error={save.error ?? check.error}
        />
      </div>
    </Form>
  );
}

function useSave({
  beginning,
  known,
  entry,
}: {
  beginning: Entry;
  known: CustomProvider | undefined;
  entry: Entry;
}) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const isSaved = useRef(false);
  const isChanged = JSON.stringify(tidyEntry(beginning)) !== JSON.stringify(entry);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      !isSaved.current &&
      current.pathname !== next.pathname &&
      !window.confirm(texts.leave),
    enableBeforeUnload: () => isChanged && !isSaved.current,
  });
  const save = useMutation({
    mutationFn: async (replacesBuiltIn: boolean) => {
      const saved = await saveCustomProvider(environment, { known, entry, replacesBuiltIn });
      if (known !== undefined) return;
      isSaved.current = true;
      await navigate(providerPage(environment, saved.slug));
    },
  });
  return { save, isChanged };
}
