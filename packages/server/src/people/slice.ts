import {
  accountRoutes,
  meRoutes,
  passkeyRoutes,
  secondFactorRoutes,
  signInRoutes,
  ssoRoutes,
  userRoutes,
} from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { accountHandlers } from "./account-routes.ts";
import {
  accountTaskHandlers,
  resumeAccountErasures,
} from "./accounts/erasure/run-account-erasure.ts";
import { accountTasks } from "./accounts/erasure/tasks.ts";
import { deleteOldSignIns } from "./delete-old-sign-ins.ts";
import { meHandlers } from "./me-routes.ts";
import { passkeyHandlers } from "./passkey-routes.ts";
import { secondFactorHandlers } from "./second-factor-routes.ts";
import { signInHandlers } from "./sign-in-routes.ts";
import { ssoHandlers } from "./sso-routes.ts";
import { userHandlers } from "./user-routes.ts";

export const people = defineSlice({
  routes: [
    ...serveRoutes(signInRoutes, signInHandlers),
    ...serveRoutes(passkeyRoutes, passkeyHandlers),
    ...serveRoutes(secondFactorRoutes, secondFactorHandlers),
    ...serveRoutes(meRoutes, meHandlers),
    ...serveRoutes(userRoutes, userHandlers),
    ...serveRoutes(ssoRoutes, ssoHandlers),
    ...serveRoutes(accountRoutes, accountHandlers),
  ],
  tasks: bindTasks(accountTasks, accountTaskHandlers),
  daily: [deleteOldSignIns, resumeAccountErasures],
  sealedColumns: [
    {
      table: "totp_secrets",
      column: "secret",
      key: [["user_id", "uuid"]],
      row: "t.user_id",
      environment: "null::uuid",
    },
    {
      table: "oidc_providers",
      column: "client_secret",
      key: [["id", "uuid"]],
      row: "t.id",
      // An account's people are of no environment.
      environment: "null::uuid",
    },
  ],
});
