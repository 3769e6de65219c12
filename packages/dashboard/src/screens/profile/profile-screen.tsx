import { callApi } from "../../data/api.ts";
import { meQuery, useMe } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { CodeButton, cliOf, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { describeGrant } from "../people/grant-words.ts";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TotpCard } from "./totp-card.tsx";

/** The person who has signed in: their ways to do so, and where they have. */
export function ProfileScreen() {
  const { people: texts } = useTexts();
  const me = useMe();
  const readAgain = async () => await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  return (
    <>
      <ScreenHead title={texts.profile}>
        <CodeButton
          text={texts.profileCode}
          examples={[
            curlOf("listUsers", "account"),
            nodeOf("account", "users.list()"),
            cliOf("users list"),
          ]}
        />
      </ScreenHead>
      <div className="page-scroll">
        <div className="columns">
          <div className="stack">
            <PasskeysCard />
            <SaveForm
              title={texts.password}
              onSave={async (form) => {
                const body = { password: String(form.get("password")) };
                await callApi("setOwnPassword", { body });
                await readAgain();
              }}
            >
              <TextInput
                label={texts.newPassword}
                name="password"
                type="password"
                autoComplete="new-password"
                help={texts.passwordRule}
              />
            </SaveForm>
            <TotpCard />
            <SessionsCard />
          </div>
          <div className="stack">
            <SaveForm
              title={texts.name}
              onSave={async (form) => {
                await callApi("updateMe", { body: { name: String(form.get("name")) } });
                await readAgain();
              }}
            >
              <TextInput
                label={texts.yourName}
                name="name"
                autoComplete="name"
                initial={me.user.name}
              />
            </SaveForm>
            <Card title={texts.yourRights}>
              <ul className="rows">
                {me.user.grants.map((grant) => (
                  <li key={describeGrant(grant, me, texts)}>{describeGrant(grant, me, texts)}</li>
                ))}
              </ul>
            </Card>
          </div>
        </div>
      </div>
    </>
  );
}
