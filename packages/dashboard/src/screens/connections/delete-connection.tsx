import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { type ConnectionName, callOfConnection } from "../../data/connections.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Names what goes with the connection; in production its id has to be typed. */
export function DeleteConnection({ name }: { name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const may = useMay("environment:connections:delete");
  return (
    <DialogButton label={texts.delete} look="danger" isDisabled={!may}>
      {(close) => <ConfirmDelete name={name} onCancel={close} />}
    </DialogButton>
  );
}

function ConfirmDelete({ name, onCancel }: { name: ConnectionName; onCancel: () => void }) {
  const { connections: texts } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: async () =>
      await callApi("deleteConnection", { environment, ...callOfConnection(name) }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["connections", environment] });
      await navigate({ to: `/${encodeURIComponent(environment)}/connections` });
    },
  });
  return (
    <>
      <p>{texts.deleteText(plainText(name.id, 80))}</p>
      {remove.isError && <FaultBanner error={remove.error} />}
      {isProduction && (
        <TextField className="text-field" value={typed} onChange={setTyped} autoFocus>
          <Label className="label">{texts.typeToDelete}</Label>
          <Input className="input" />
        </TextField>
      )}
      <div className="row">
        <Button className="button" onPress={onCancel}>
          {texts.cancel}
        </Button>
        <Button
          className="button danger"
          isDisabled={isProduction && typed !== name.id}
          isPending={remove.isPending}
          onPress={() => remove.mutate()}
        >
          {texts.deleteIn(environment)}
        </Button>
      </div>
    </>
  );
}
