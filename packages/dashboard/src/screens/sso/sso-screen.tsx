import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { type SingleSignOn, singleSignOnQuery } from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { CodeButton, curlOf, nodeCall, nodeOf } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { ssoTexts } from "../../texts/screens/sso.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { SsoForm } from "./sso-form.tsx";

/** How people sign in by an identity provider. */
export function SsoScreen() {
  const texts = useTextsOf(ssoTexts);
  const query = useQuery(singleSignOnQuery);
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton
          examples={[
            curlOf("getSingleSignOn", "account"),
            nodeOf("account", "signIn.getSingleSignOn()"),
          ]}
        />
        {query.data && <SwitchOff />}
      </ScreenHead>
      <div className="page-scroll">
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <SkeletonCard />}
        {query.data !== undefined && (
          <div className="columns">
            <div className="stack">
              <p className="soft">{query.data === null ? texts.none : texts.text}</p>
              <SsoForm key={query.data?.updated_at} settings={query.data ?? undefined} />
            </div>
            <div className="stack">
              <Redirect settings={query.data} />
            </div>
          </div>
        )}
      </div>
    </>
  );
}

function Redirect({ settings }: { settings: SingleSignOn | null }) {
  const texts = useTextsOf(ssoTexts);
  if (settings === null) {
    return (
      <Card title={texts.redirect}>
        <p className="soft padded">{texts.redirectLater}</p>
      </Card>
    );
  }
  const address = settings.redirect_uri;
  return (
    <Card title={texts.redirect} actions={<CopyButton isSmall text={() => address} />}>
      <p className="mono padded wrap">{address}</p>
    </Card>
  );
}

function SwitchOff() {
  const texts = useTextsOf(ssoTexts);
  return (
    <ConfirmButton
      label={texts.off}
      scope="account:sso:write"
      text={texts.offText}
      title={texts.offDo}
      confirm={texts.offDo}
      code={[
        curlOf("deleteSingleSignOn", "account"),
        nodeCall("account", "signIn.deleteSingleSignOn"),
      ]}
      onConfirm={async () => {
        await callApi("deleteSingleSignOn");
        await queryClient.invalidateQueries({ queryKey: singleSignOnQuery.queryKey });
      }}
    />
  );
}
