import { callApi } from "../../data/api.ts";
import { type ConnectLink, readLinksAgain } from "../../data/environment/connect-links.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatMoment, formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf } from "../connections/connection-words.ts";
import { integrationsOf, linkTones, makerOf, ownerOf } from "./link-words.ts";

/** One link next to the list: for whom it is, how often it was used, and revoking it. */
export function LinkDrawer({
  link,
  onClose,
  onStep,
}: {
  link: ConnectLink;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { connectLinks: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { reconnects, state } = link;
  const owner = plainText(ownerOf(link), 60);
  const at = (time: string | null) => (time === null ? undefined : formatMoment(time));
  return (
    <Drawer title={owner} onClose={onClose} onStep={onStep}>
      <p className="padded">
        <Badge tone={linkTones[state]}>{texts.states[state]}</Badge>
      </p>
      <Card title={texts.about}>
        <Facts
          rows={[
            [
              texts.connection,
              reconnects !== null && (
                <Go key="connection" target={pageOf(environment, reconnects)}>
                  {plainText(reconnects.connection_id, 60)}
                </Go>
              ),
            ],
            [texts.integrations, plainText(integrationsOf(link, texts))],
            [
              texts.tags,
              Object.entries(link.tags)
                .map(([name, value]) => plainText(`${name}=${value}`))
                .join(", "),
            ],
            [texts.note, link.note === null ? undefined : plainText(link.note, 500)],
            [texts.uses, texts.of(formatNumber(link.uses), formatNumber(link.max_uses))],
            [texts.lastUsed, at(link.last_used_at)],
            [texts.code, link.needs_code ? tables.yes : tables.no],
            [texts.createdBy, plainText(makerOf(link, texts))],
            [texts.created, at(link.created_at)],
            [texts.expires, at(link.expires_at)],
            [texts.revoked, at(link.revoked_at)],
          ]}
        />
      </Card>
      <p className="padded soft">{texts.addressText}</p>
      {state === "open" && (
        <div className="row padded">
          <ConfirmButton
            label={texts.revoke}
            title={texts.revokeTitle}
            scope="environment:connect_sessions:write"
            text={texts.revokeText}
            confirm={texts.revokeIn(environment)}
            code={[
              curlOf("revokeConnectLink", environment, { params: { linkId: link.id } }),
              nodeCall(environment, "connectLinks.revoke", link.id),
              cliOf(`links revoke ${quote(link.id)} --environment ${quote(environment)}`),
            ]}
            onConfirm={async () => {
              await callApi("revokeConnectLink", { environment, params: { linkId: link.id } });
              await readLinksAgain(environment);
            }}
          />
        </div>
      )}
    </Drawer>
  );
}
