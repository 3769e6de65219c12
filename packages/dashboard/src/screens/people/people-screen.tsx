import { useMemo } from "react";
import { type Me, useMe } from "../../data/me.ts";
import { type User, usersQuery } from "../../data/people/people.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { cliOf, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";
import { signInRulesTexts } from "../../texts/people/sign-in-rules.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { describeGrant } from "./grant-words.ts";
import { InviteButton } from "./invite-button.tsx";
import { SignInRules } from "./sign-in-rules.tsx";
import { UserDrawer } from "./user-drawer.tsx";

/** Who can sign in, and what they may do. */
export function PeopleScreen() {
  const { people: texts } = useTexts();
  const { withApp } = useTextsOf(signInRulesTexts);
  const me = useMe();
  return (
    <ListScreen
      id="people"
      title={texts.title}
      columns={useMemo(() => columnsOf({ ...texts, withApp }, me), [texts, withApp, me])}
      list={usePagedRows(usersQuery)}
      keyOf={keyOf}
      panel={({ row, ...open }) =>
        row !== undefined && <UserDrawer key={row.id} user={row} {...open} />
      }
      narrowing={{}}
      examples={[
        curlOf("listUsers", "account"),
        nodeOf("account", "users.list()"),
        cliOf("users list"),
      ]}
      above={<SignInRules />}
      actions={<InviteButton />}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: User): string {
  return id;
}

function columnsOf(
  texts: Texts["people"] & { readonly withApp: string },
  me: Me,
): readonly Column<User>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(150px, 1.2fr)",
      cell: ({ id, name }) => `${plainText(name, 80)}${id === me.user.id ? ` (${texts.you})` : ""}`,
    },
    {
      id: "email",
      header: texts.email,
      width: "minmax(166px, 1.6fr)",
      cell: ({ email }) => plainText(email),
    },
    {
      id: "roles",
      header: texts.roles,
      width: "minmax(200px, 2fr)",
      cell: ({ grants }) => grants.map((grant) => describeGrant(grant, me, texts)).join(", "),
    },
    {
      id: "state",
      header: texts.state,
      width: "132px",
      cell: ({ disabled_at: disabledAt, ways }) =>
        disabledAt === null && ways.length === 0 ? (
          <Badge tone="run">{texts.invited}</Badge>
        ) : (
          <Badge tone={disabledAt === null ? "good" : "idle"}>
            {disabledAt === null ? texts.active : texts.disabled}
          </Badge>
        ),
    },
    {
      id: "ways",
      header: texts.ways,
      width: "minmax(120px, 1fr)",
      cell: ({ ways, has_totp: hasApp }) =>
        ways
          .map((way) => (way === "password" && hasApp ? texts.withApp : texts.wayNames[way]))
          .join(", "),
    },
    {
      id: "last",
      header: texts.lastSignIn,
      width: "116px",
      cell: ({ last_sign_in_at: at }) => (at === null ? texts.never : <Time at={at} isShort />),
    },
    {
      id: "added",
      header: texts.added,
      width: "116px",
      cell: ({ created_at: at }) => <Time at={at} isShort />,
    },
  ];
}
