import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { connectionCountsQuery } from "../../data/connections.ts";
import {
  type ListedEnvironment,
  readEnvironmentsAgain,
} from "../../data/environment/environments.ts";
import { useMe } from "../../data/me.ts";
import { holdsScope } from "../../data/scopes.ts";
import { formatDay, formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { homeOf } from "../../start/environment-address.ts";

import { environmentTexts } from "../../texts/screens/shell/environments.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** One environment next to the list: links to what it has, and its end. */
export function EnvironmentDrawer({
  environment,
  onClose,
  onStep,
}: {
  environment: ListedEnvironment;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { settings } = useTexts();
  const texts = useTextsOf(environmentTexts);
  const { id, name, is_production: isProduction } = environment;
  const own = useMe().environments.find((each) => each.id === id);
  const old = own?.old_names ?? [];
  return (
    <Drawer title={plainText(name, 60)} onClose={onClose} onStep={onStep}>
      <Card title={texts.about}>
        <Facts
          rows={[
            [texts.id, <code key="id">{id}</code>],
            [texts.kind, isProduction ? texts.production : texts.other],
            [texts.created, formatDay(environment.created_at)],
            [texts.oldNames, old.length > 0 && `${old.join(", ")}. ${texts.oldNamesText}`],
          ]}
        />
        {own === undefined ? (
          <p className="soft padded">{texts.noRole}</p>
        ) : (
          <div className="row padded">
            <Go className="button primary" target={{ to: homeOf(name) }}>
              {texts.open}
            </Go>
            <Go className="button" target={{ to: `${homeOf(name)}/settings/general` }}>
              {texts.settings}
            </Go>
            <Go className="button" target={{ to: `${homeOf(name)}/keys` }}>
              {texts.keys}
            </Go>
          </div>
        )}
      </Card>
      <div className="row padded">
        <ConfirmButton
          label={texts.delete}
          name={texts.deleteNamed(name)}
          scope="account:environments:delete"
          isDisabled={isProduction}
          text={<WhatGoes environment={environment} />}
          confirm={settings.deleteNamed(name)}
          typed={{ label: settings.typeName, text: name }}
          onConfirm={async () => {
            await callApi("deleteEnvironment", { params: { environmentId: id } });
            onClose();
            await readEnvironmentsAgain();
          }}
        />
        {isProduction && <span className="soft">{texts.deleteProduction}</span>}
      </div>
    </Drawer>
  );
}

function WhatGoes({ environment: { id, name } }: { environment: ListedEnvironment }) {
  const { settings } = useTexts();
  const texts = useTextsOf(environmentTexts);
  const own = useMe().environments.find((each) => each.id === id);
  const may = own !== undefined && holdsScope(own.scopes, "environment:connections:list");
  const { data } = useQuery({ ...connectionCountsQuery(name), enabled: may });
  return (
    <>
      <p>{settings.deleteText(name)}</p>
      {data !== undefined && <p>{texts.holds(formatNumber(data.total))}</p>}
    </>
  );
}
