import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { saveFile } from "../../data/download.ts";
import { type Revocation, readReport } from "../../data/environment/revocations.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatNumber } from "../../parts/formats.ts";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { notWithdrawn, REVOKE, revocationPage } from "./revocation-words.ts";

/** What comes next: after a rehearsal the revocation, after a revocation its report and the release. */
export function RevocationActions({ revocation }: { revocation: Revocation }) {
  const { revocations: texts } = useTexts();
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
  const { revocations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={texts.revokeNow}
      text={texts.revokeText(formatNumber(matched))}
      confirm={texts.revokeConfirm}
      scope={REVOKE}
      reason={matched === 0 ? texts.matchesNone : undefined}
      onConfirm={async () => {
        const body = {
          ...{ match, end_sessions: true },
          ...(reason === null ? {} : { reason }),
        };
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
  const { revocations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <ConfirmButton
      label={texts.release}
      text={texts.releaseText}
      confirm={texts.releaseConfirm}
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
