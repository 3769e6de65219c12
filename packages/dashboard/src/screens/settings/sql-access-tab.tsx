import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import {
  createSqlAccess,
  deleteSqlAccess,
  type NewSqlAccess,
  rotateSqlAccess,
  type SqlAccess,
  sqlAccessQuery,
} from "../../data/records/sql-access.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { sqlAccessTexts } from "../../texts/screens/sql-access.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { WithQuery } from "./with-settings.tsx";

const tones: Readonly<Record<SqlAccess["state"], Tone>> = {
  active: "good",
  suspended: "bad",
  needs_new_password: "warn",
};

/** The login of the database that reads the environment's records, and its views. */
export function SqlAccessTab() {
  const texts = useTextsOf(sqlAccessTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(sqlAccessQuery(environment));
  return (
    <WithQuery query={query}>
      {(offer) => (
        <div className="stack measure">
          {"isOff" in offer ? (
            <Card title={texts.title}>
              <div className="stack padded">
                <p>{texts.about}</p>
                <p className="soft">{plainText(offer.reason)}</p>
              </div>
            </Card>
          ) : (
            <Login access={offer.access} />
          )}
        </div>
      )}
    </WithQuery>
  );
}

function Login({ access }: { access: SqlAccess | null }) {
  const texts = useTextsOf(sqlAccessTexts);
  const { name: environment } = useEnvironment();
  const isNew = access === null;
  return (
    <>
      <Card title={texts.title}>
        <div className="stack padded">
          {isNew ? <p>{texts.about}</p> : <About access={access} />}
          <div className="row">
            {/* The same dialog before and after: it still shows the password once there is a login. */}
            <DialogButton
              label={isNew ? texts.add : texts.rotate}
              look={isNew ? "primary" : ""}
              scope="environment:sql_access:write"
              isWide
            >
              {(close) => (
                <NewPassword
                  text={isNew ? texts.addText : texts.rotateText}
                  make={async () =>
                    await (isNew ? createSqlAccess(environment) : rotateSqlAccess(environment))
                  }
                  confirm={isNew ? texts.make : texts.rotateDo}
                  onDone={close}
                />
              )}
            </DialogButton>
            {!isNew && (
              <ConfirmButton
                label={texts.revoke}
                title={texts.revokeTitle}
                text={texts.revokeText}
                confirm={texts.revokeIn(environment)}
                code={[
                  curlOf("deleteSqlAccess", environment),
                  nodeCall(environment, "sqlAccess.delete"),
                  cliOf(`sql-access revoke --environment ${quote(environment)}`),
                ]}
                scope="environment:sql_access:write"
                onConfirm={async () => await deleteSqlAccess(environment)}
              />
            )}
          </div>
        </div>
      </Card>
      {!isNew && <Views views={access.views} />}
    </>
  );
}

function About({ access }: { access: SqlAccess }) {
  const texts = useTextsOf(sqlAccessTexts);
  const { state } = access;
  return (
    <>
      {state !== "active" && <p className="banner warn">{texts.stateTexts[state]}</p>}
      <Facts
        rows={[
          [
            texts.state,
            <Badge key="state" tone={tones[state]}>
              {texts.states[state]}
            </Badge>,
          ],
          [texts.host, plainText(`${access.host}:${access.port}`)],
          [texts.database, plainText(access.database)],
          [texts.role, <code key="role">{access.role}</code>],
          [texts.created, <Time key="created" at={access.created_at} />],
          [texts.createdBy, access.created_by?.name && plainText(access.created_by.name)],
          [texts.passwordSet, <Time key="password" at={access.password_set_at} />],
        ]}
      />
    </>
  );
}

function Views({ views }: { views: SqlAccess["views"] }) {
  const texts = useTextsOf(sqlAccessTexts);
  return (
    <Card title={texts.views}>
      {views.length === 0 ? (
        <p className="padded soft">{texts.noViews}</p>
      ) : (
        <PlainTable
          label={texts.views}
          columns={[
            { header: texts.view, cell: ({ name }) => <code>{name}</code> },
            { header: texts.model, cell: ({ model }) => plainText(model) },
          ]}
          rows={views}
          keyOf={({ name }) => name}
        />
      )}
    </Card>
  );
}

function NewPassword({
  text,
  make,
  confirm,
  onDone,
}: {
  text: string;
  make: () => Promise<NewSqlAccess>;
  confirm: string;
  onDone: () => void;
}) {
  const { tables } = useTexts();
  const texts = useTextsOf(sqlAccessTexts);
  // The answer holds the password: nothing keeps it once the dialog is closed.
  const making = useMutation({ mutationFn: make, gcTime: 0 });
  if (making.data !== undefined) {
    return (
      <>
        <SecretOnce label={texts.url} secret={making.data.url} />
        <Button className="button primary" onPress={onDone}>
          {tables.close}
        </Button>
      </>
    );
  }
  return (
    <>
      <p>{text}</p>
      {making.isError && <FaultBanner error={making.error} />}
      <div className="row">
        <Button
          className="button primary"
          isPending={making.isPending}
          onPress={() => making.mutate()}
        >
          {confirm}
        </Button>
      </div>
    </>
  );
}
