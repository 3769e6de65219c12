import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { type AnswerOf, callApi } from "../../../data/api.ts";
import type { Connection } from "../../../data/connections.ts";
import type { Integration } from "../../../data/integrations.ts";
import { SingleFilter } from "../../../parts/filters/single-filter.tsx";
import { plainText } from "../../../parts/formats.ts";
import { ApiForm } from "../../../parts/forms/api-form.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { DialogButton } from "../../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { pageOf } from "../connection-words.ts";
import { ConnectFrame } from "./connect-frame.tsx";
import { LinkResult } from "./link-result.tsx";
import { useMadeConnection } from "./use-made-connection.ts";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "end-user": "tags.end_user_id",
};

/** Makes a link with which an end user connects, as an app would by the API. */
export function NewConnectionButton({ integrations }: { integrations: readonly Integration[] }) {
  const { connections: texts } = useTexts();
  return (
    <DialogButton
      label={texts.add}
      title={texts.addTitle}
      look="primary"
      scope="environment:connect_sessions:write"
      isWide
    >
      {(close) => <NewConnection integrations={integrations} onDone={close} />}
    </DialogButton>
  );
}

function NewConnection({
  integrations,
  onDone,
}: {
  integrations: readonly Integration[];
  onDone: () => void;
}) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const [integration, setIntegration] = useState<string>();
  const make = useMutation({
    mutationFn: async (endUserId: string) => {
      const allowed = integration === undefined ? {} : { allowed_integrations: [integration] };
      const body = { tags: { end_user_id: endUserId }, ...allowed };
      return (await callApi("createConnectSession", { environment, body })).data;
    },
  });
  if (make.data !== undefined) {
    return (
      <MadeLink
        session={make.data}
        onConnected={(connection) => {
          onDone();
          void navigate({ to: pageOf(environment, connection).to });
        }}
      />
    );
  }
  return (
    <ApiForm
      className="stack"
      error={make.error}
      values={valuePaths}
      onSend={(form) => make.mutate(String(form.get("end-user")).trim())}
    >
      <p className="soft">{texts.addText}</p>
      <TextInput
        autoFocus
        label={texts.endUserId}
        name="end-user"
        autoComplete="off"
        help={texts.endUserHelp}
      />
      <div className="row">
        <SingleFilter
          label={texts.integration}
          chosen={integration}
          choices={integrations.map(({ unique_key: id }) => ({ id, text: id }))}
          onChange={setIntegration}
        />
        <span className="space" />
        <Button className="button primary" type="submit" isPending={make.isPending}>
          {texts.makeLink}
        </Button>
      </div>
    </ApiForm>
  );
}

/** The link, and its page in a frame; leads to the connection that is made with it here or in another window. */
function MadeLink({
  session,
  onConnected,
}: {
  session: AnswerOf<"createConnectSession">["data"];
  onConnected: (connection: Pick<Connection, "connection_id" | "provider_config_key">) => void;
}) {
  const texts = useTextsOf(connectionTexts);
  const { failure } = useMadeConnection(session, onConnected);
  return (
    <div className="columns">
      <ConnectFrame session={session} onConnected={onConnected} />
      <div className="stack">
        <LinkResult session={session} />
        <p className="soft" role="status">
          {failure === undefined ? texts.waiting : texts.attemptFailed(plainText(failure, 300))}
        </p>
      </div>
    </div>
  );
}
