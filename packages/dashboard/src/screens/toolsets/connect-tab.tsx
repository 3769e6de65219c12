import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import type { Toolset } from "../../data/agents/toolsets.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, keyVariable, quote } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { NewSessionButton } from "../agent-sessions/new-session.tsx";
import { type ClientName, clientFiles, clientNames, fileOf } from "./client-files.ts";
import { toolsetPage } from "./toolset-words.ts";

const loop = "loop";
/** In examples, until somebody is named. */
const usualUser = "u1";

/** The address of the toolset, and what each client needs to have its tools. */
export function ConnectTab({ toolset }: { toolset: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const { name, session_mcp_url: url } = toolset;
  const client = clientNames.find((each) => each === words["client"]);
  const isLoop = words["client"] === loop;
  const endUser = words["user"] ?? "";
  const shown = client ?? "claude-code";
  const page = toolsetPage(environment, name, "connect");
  return (
    <div className="columns">
      <div className="stack">
        <Card title={texts.client} actions={<NewSessionButton toolset={name} endUser={endUser} />}>
          <div className="stack padded">
            <p className="soft">{texts.connectText}</p>
            <TextField
              className="text-field"
              value={endUser}
              onChange={(user) => change({ user }, { replace: true })}
            >
              <Label className="label">{texts.endUser}</Label>
              <Input className="input" placeholder={usualUser} />
            </TextField>
            <LinkTabs
              tabs={[...clientNames, loop].map((id) => ({
                id,
                text: texts.clientNames[id as ClientName | "loop"],
                target: { ...page, search: { ...words, client: id } },
                isCurrent: id === (isLoop ? loop : shown),
              }))}
            />
            {isLoop ? (
              <Code label={texts.loopText} text={loopOf(environment, name, endUser || usualUser)} />
            ) : (
              <>
                <Code
                  label={texts.command}
                  text={commandOf({
                    client: shown,
                    environment,
                    name,
                    endUser: endUser || usualUser,
                  })}
                />
                <Code
                  label={texts.writes(clientFiles[shown].path)}
                  text={fileOf(shown, { name, url, token: "svc_agent_…" })}
                />
              </>
            )}
          </div>
        </Card>
      </div>
      <div className="stack">
        <Card title={texts.url} actions={<CopyButton isSmall text={() => url} />}>
          <p className="mono padded">{url}</p>
          <p className="soft padded">{texts.urlText}</p>
        </Card>
        <ByUrl toolset={toolset} />
      </div>
    </div>
  );
}

function ByUrl({ toolset: { mcp_url: url, name } }: { toolset: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  if (url === null) {
    return (
      <Card title={texts.byUrl}>
        <p className="soft padded">{texts.byUrlNone}</p>
      </Card>
    );
  }
  return (
    <Card title={texts.byUrl} actions={<CopyButton isSmall text={() => url} />}>
      <p className="mono padded">{url}</p>
      <p className="soft padded">{texts.byUrlText}</p>
      <ul className="bullets padded">
        <li>{texts.places.claude}</li>
        <li>{texts.places.chatgpt}</li>
        <li>{texts.places.code}</li>
      </ul>
      <pre className="code">{`claude mcp add --transport http ${name} ${url}`}</pre>
    </Card>
  );
}

function Code({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <p className="label">{label}</p>
      <pre className="code">{text}</pre>
      <CopyButton text={() => text} />
    </section>
  );
}

function commandOf(given: {
  client: ClientName;
  environment: string;
  name: string;
  endUser: string;
}): string {
  const { client, environment, name, endUser } = given;
  const of = environment === "dev" ? "" : ` --environment ${quote(environment)}`;
  return cliOf(`mcp add ${client} ${name} --end-user ${quote(endUser)}${of}`).text;
}

function loopOf(environment: string, name: string, endUser: string): string {
  const asked = `{ toolset: ${JSON.stringify(name)}, end_user_id: ${JSON.stringify(endUser)} }`;
  return [
    'import { Jackfield } from "@jackfield/node";',
    "",
    `const jackfield = new Jackfield({ apiKey: process.env.${keyVariable(environment)} });`,
    `const agent = await jackfield.agent.createSession(${asked});`,
    "",
    "const response = await openai.responses.create({ model, input, tools: await agent.forOpenAI() });",
    "for (const item of response.output) {",
    '  if (item.type === "function_call") input.push(item, await agent.answerOpenAI(item));',
    "}",
    "await agent.end();",
  ].join("\n");
}
