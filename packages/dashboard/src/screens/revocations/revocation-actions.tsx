import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { saveFile } from "../../data/download.ts";
import { type Revocation, readReport } from "../../data/environment/revocations.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatNumber } from "../../parts/formats.ts";
import {
  type CodeExample,
  cliOf,
  curlOf,
  nodeCall,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { notWithdrawn, REVOKE, revocationPage } from "./revocation-words.ts";

/** What comes next: after a rehearsal the revocation, after a revocation its report and the release. */
export function RevocationActions({ revocation }: { revocation: Revocation }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const download = useMutation({
    mutationFn: async () =>
      saveFile(await readReport(environment, revocation), `revocation-${revocation.id}.json`),
  });
  const [released, setReleased] = useState<number>();
  const isDone = revocation.state === "done";
  return (
    <>
      {download.isError && <FaultBanner error={download.error} />}
      <div className="row">
        {revocation.rehearsal && isDone && <RevokeButton revocation={revocation} />}
        {!revocation.rehearsal && notWithdrawn(revocation) > 0 && (
          <ReleaseButton revocation={revocation} onReleased={setReleased} />
        )}
        {isDone && (
          <Button
            className="button"
            isPending={download.isPending}
            onPress={() => download.mutate()}
          >
            {texts.download}
          </Button>
        )}
      </div>
      <p role="status">{released === undefined ? "" : texts.released(formatNumber(released))}</p>
    </>
  );
}

function RevokeButton({ revocation: { match, reason, matched } }: { revocation: Revocation }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const body = { match, end_sessions: true, ...(reason === null ? {} : { reason }) };
  return (
    <ConfirmButton
      label={texts.revokeNow}
      text={texts.revokeText(formatNumber(matched))}
      confirm={texts.revokeConfirm}
      code={[
        curlOf("startRevocation", environment, { body: Object(body) }),
        nodeCall(environment, "revocations.start", body),
        commandOf(environment, match),
      ]}
      scope={REVOKE}
      reason={matched === 0 ? texts.matchesNone : undefined}
      onConfirm={async () => {
        const { data } = await callApi("startRevocation", { environment, body: Object(body) });
        await queryClient.invalidateQueries({ queryKey: ["revocations", environment] });
        await navigate(revocationPage(environment, data.id));
      }}
    />
  );
}

function ReleaseButton({
  revocation: { id },
  onReleased,
}: {
  revocation: Revocation;
  onReleased: (count: number) => void;
}) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  return (
    <ConfirmButton
      label={texts.release}
      text={texts.releaseText}
      confirm={texts.releaseConfirm}
      code={[
        curlOf("releaseRevocation", environment, { params: { revocationId: id }, body: {} }),
        nodeCall(environment, "revocations.release", id),
      ]}
      scope={REVOKE}
      onConfirm={async () => {
        const params = { revocationId: id };
        const { data } = await callApi("releaseRevocation", { environment, params, body: {} });
        onReleased(data.released);
        await queryClient.invalidateQueries({ queryKey: ["revocation", environment, id] });
      }}
    />
  );
}

function commandOf(environment: string, match: Revocation["match"]): CodeExample {
  const { tags = {}, ...rest } = match;
  const names = Object.entries(tags).map(([name, value]) => quote(`${name}=${value}`));
  const options = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${optionOf[name] ?? name} ${quote(value)}`],
  );
  const ofTags = names.length === 0 ? [] : [`--tag ${names.join(" ")}`];
  const where = ["--end-sessions", `--environment ${quote(environment)}`];
  return cliOf(["revoke", ...options, ...ofTags, ...where].join(" "));
}

/** Options of the command whose names are not those of the API. */
const optionOf: Readonly<Record<string, string>> = {
  provider_config_key: "integration",
  connection_id: "connection",
  end_user_id: "end-user",
  key_id: "read-by",
};
