import { createSync } from "jackfield";
import * as z from "zod";

interface XeroAccount {
  AccountID: string;
  Code: string;
  Name: string;
  Type: string;
  Status: "ACTIVE" | "ARCHIVED";
}

const Account = z.object({
  id: z.string(),
  code: z.string(),
  name: z.string(),
  type: z.string(),
});

/** Delete tracking: records that the full list no longer holds are marked as deleted. */
export default createSync({
  description: "Copies the chart of accounts, and notices accounts that are gone.",
  frequency: "every day",
  autoStart: true,
  models: { Account },

  exec: async (svc) => {
    await svc.trackDeletesStart("Account");
    const { data } = await svc.get<{ Accounts: XeroAccount[] }>({
      endpoint: "/api.xro/2.0/Accounts",
      retries: 5,
    });
    const active = data.Accounts.filter(({ Status }) => Status === "ACTIVE");
    await svc.batchSave(active.map(toAccount), "Account");
    const { deletedKeys } = await svc.trackDeletesEnd("Account");
    await svc.log(`${deletedKeys.length} accounts are gone`);
  },
});

function toAccount(account: XeroAccount): z.infer<typeof Account> {
  return { id: account.AccountID, code: account.Code, name: account.Name, type: account.Type };
}
