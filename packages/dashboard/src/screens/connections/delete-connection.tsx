import { useNavigate } from "@tanstack/react-router";
import { callApi } from "../../data/api.ts";
import { type ConnectionName, callOfConnection } from "../../data/connections.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Names what goes with the connection; in production its id has to be typed. */
export function DeleteConnection({ name }: { name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={texts.delete}
      scope="environment:connections:delete"
      text={texts.deleteText(plainText(name.id, 80))}
      confirm={texts.deleteIn(environment)}
      typed={isProduction ? { label: texts.typeToDelete, text: name.id } : undefined}
      onConfirm={async () => {
        await callApi("deleteConnection", { environment, ...callOfConnection(name) });
        await queryClient.invalidateQueries({ queryKey: ["connections", environment] });
        await navigate({ to: `/${encodeURIComponent(environment)}/connections` });
      }}
    />
  );
}
