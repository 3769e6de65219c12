import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Method, methods } from "../../../data/agents/toolset-draft.ts";
import {
  previewQuery,
  type ToolsetBody,
  type ToolsetPreview,
} from "../../../data/agents/toolsets.ts";
import { plainText } from "../../../parts/formats.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

type Tested = ToolsetPreview["requests"][number];

/** Says of one request whether it would be sent, and which rule decides. */
export function RequestTester({ integration, asked }: { integration: string; asked: ToolsetBody }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const [method, setMethod] = useState<Method>("GET");
  const [path, setPath] = useState("");
  const query = useQuery({
    ...previewQuery(environment, { ...asked, requests: [{ integration, method, path }] }),
    enabled: path !== "",
    retry: false,
  });
  const tested = path === "" ? undefined : query.data?.requests[0];
  return (
    <section className="stack" aria-label={texts.testerTitle}>
      <div className="row tester">
        <ChoiceInput
          label={texts.testerMethod}
          value={method}
          choices={methods.map((id) => ({ id, text: id }))}
          onChange={(value) => setMethod(methods.find((each) => each === value) ?? "GET")}
        />
        <div className="grow">
          <TextInput
            isOptional
            label={texts.testerPath}
            name={`tested-${integration}`}
            autoComplete="off"
            help={texts.testerText}
            value={path}
            onChange={setPath}
          />
        </div>
      </div>
      {path !== "" && query.isError && <FaultBanner error={query.error} />}
      <div role="status">{tested !== undefined && <Outcome tested={tested} texts={texts} />}</div>
    </section>
  );
}

function Outcome({ tested, texts }: { tested: Tested; texts: (typeof toolsetTexts)["english"] }) {
  const { reason, decided_by: by, effect, verdict, rule } = tested;
  const ofPolicy = rule === null ? texts.byPreset : texts.byRule(rule + 1);
  const ofApi =
    by === null ? "" : texts.decided(texts.decidedBy[by.list], by.rule + 1, plainText(by.path));
  return (
    <>
      <strong className={tested.allowed ? "good-text" : "fault"}>{wordsOf()}</strong>
      {tested.allowed && (
        <p>{texts.testedCall(texts.effects[effect], texts.testedVerdicts[verdict], ofPolicy)}</p>
      )}
    </>
  );

  function wordsOf(): string {
    if (reason === "allowed" || reason === "denied") return texts.tested[reason](ofApi);
    if (reason === "effects") return texts.tested.effects(texts.effects[effect]);
    if (reason === "policy") return texts.tested.policy(ofPolicy);
    return texts.tested[reason];
  }
}
