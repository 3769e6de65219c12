import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { readSessionsAgain } from "../../data/agents/agent-sessions.ts";
import { callApi } from "../../data/api.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { agentSessionTexts } from "../../texts/screens/agents/agent-sessions.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { SESSIONS } from "./session-words.ts";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "end-user": "end_user_id",
};

interface Given {
  readonly toolset: string;
  readonly endUser: string;
}

/** Begins a session; its token is on the page until the dialog closes, and nowhere else. */
export function NewSessionButton(given: Given) {
  const texts = useTextsOf(agentSessionTexts);
  return (
    <DialogButton label={texts.add} look="primary" scope={SESSIONS} isWide>
      {() => <NewSession {...given} />}
    </DialogButton>
  );
}

function NewSession({ toolset, endUser }: Given) {
  const texts = useTextsOf(agentSessionTexts);
  const toolsets = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const [user, setUser] = useState(endUser);
  const [lifetime, setLifetime] = useState("3600");
  const body = { toolset, end_user_id: user.trim(), expires_in_seconds: Number(lifetime) };
  const make = useMutation({
    mutationFn: async () => {
      const { data } = await callApi("createAgentSession", { environment, body });
      await readSessionsAgain(environment);
      return data;
    },
    // The answer holds the token: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined) {
    const { token, mcp_url: url, tools, missing } = make.data;
    return (
      <>
        <p role="status">
          {texts.created(formatNumber(tools.count))}{" "}
          {missing.length > 0 && texts.missing(plainText(missing.join(", "), 200))}
        </p>
        <SecretOnce label={texts.token} secret={token} />
        <section aria-label={toolsets.url}>
          <p className="label">{toolsets.url}</p>
          <pre className="code">{url}</pre>
          <CopyButton label={toolsets.copyUrl} text={() => url} />
        </section>
      </>
    );
  }
  return (
    <ApiForm className="stack" error={make.error} values={valuePaths} onSend={() => make.mutate()}>
      <p className="soft">{texts.addText}</p>
      <TextInput
        autoFocus
        label={texts.userSearch}
        name="end-user"
        autoComplete="off"
        initial={endUser}
        onChange={setUser}
      />
      <ChoiceInput
        label={texts.lifetime}
        value={lifetime}
        choices={Object.entries(texts.lifetimes).map(([id, text]) => ({ id, text }))}
        onChange={setLifetime}
      />
      <div className="row">
        <ScopedButton
          scope={SESSIONS}
          type="submit"
          look="primary"
          isDisabled={user.trim() === ""}
          isPending={make.isPending}
        >
          {texts.create}
        </ScopedButton>
        <CodeButton
          examples={[
            curlOf("createAgentSession", environment, { body }),
            nodeOf(environment, `agentSessions.create(${JSON.stringify(body)})`),
            cliOf(
              `mcp add claude-code ${quote(toolset)} --end-user ${quote(user || "u1")} --environment ${quote(environment)}`,
            ),
          ]}
        />
      </div>
    </ApiForm>
  );
}
