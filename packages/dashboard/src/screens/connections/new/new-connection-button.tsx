import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../../data/api.ts";
import type { Integration } from "../../../data/integrations.ts";
import { SingleFilter } from "../../../parts/filters/single-filter.tsx";
import { ApiForm } from "../../../parts/forms/api-form.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { DialogButton } from "../../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { pageOf } from "../connection-words.ts";
import { ConnectFrame } from "./connect-frame.tsx";
import { LinkResult } from "./link-result.tsx";

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
      <div className="columns">
        <ConnectFrame
          session={make.data}
          onConnected={(connection) => {
            onDone();
            void navigate({ to: pageOf(environment, connection).to });
          }}
        />
        <div className="stack">
          <LinkResult session={make.data} />
        </div>
      </div>
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
