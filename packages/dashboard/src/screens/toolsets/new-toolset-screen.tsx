import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { ToolsetEditor } from "./editor/toolset-editor.tsx";
import { toolsetsPath } from "./toolset-words.ts";

const example = { tools: [{ integration: "hubspot" }] };

/** The form for a toolset that is not there yet. */
export function NewToolsetScreen() {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  return (
    <>
      <ScreenHead
        title={texts.addTitle}
        parent={{ text: texts.title, target: { to: toolsetsPath(environment) } }}
      >
        <CodeButton
          examples={[
            curlOf("putToolset", environment, {
              params: { name: "support-agent" },
              body: example,
            }),
            nodeOf(environment, `toolsets.put("support-agent", ${JSON.stringify(example)})`),
            cliOf(
              `toolsets save support-agent --file toolset.json --environment ${quote(environment)}`,
            ),
          ]}
        />
      </ScreenHead>
      <div className="page-scroll">
        <ToolsetEditor />
      </div>
    </>
  );
}
