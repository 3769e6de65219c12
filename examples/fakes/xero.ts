import type { VendorApi } from "jackfield/test";

const invoices = Array.from({ length: 10 }, (_, index) => ({
  InvoiceID: `a3e7f0c2-0000-4000-8000-${String(index).padStart(12, "0")}`,
  InvoiceNumber: `INV-${String(index + 1).padStart(4, "0")}`,
  Type: index % 3 === 2 ? "ACCPAY" : "ACCREC",
  Status: index % 2 === 0 ? "AUTHORISED" : "PAID",
  Total: 100 + index * 12.5,
  CurrencyCode: index % 4 === 3 ? "EUR" : "USD",
  DueDateString: index === 9 ? null : `2026-02-${String(index + 1).padStart(2, "0")}T00:00:00`,
  UpdatedDateUTC: `2026-01-${String(index + 1).padStart(2, "0")}T09:30:00`,
}));

/** The chart of accounts; a test may archive one. */
export const makeAccounts = () =>
  ["Sales", "Bank", "Office costs", "Old account"].map((name, index) => ({
    AccountID: `b4f8a1d3-0000-4000-8000-${String(index).padStart(12, "0")}`,
    Code: String(200 + index * 10),
    Name: name,
    Type: index === 1 ? "BANK" : "REVENUE",
    Status: index === 3 ? "ARCHIVED" : "ACTIVE",
  }));

/** Invoices page by page and the chart of accounts, in the form of Xero's accounting API. */
export function createXero(accounts: readonly object[]): VendorApi {
  return ({ path, query, headers }) => {
    if (path === "/api.xro/2.0/Accounts") return { body: { Status: "OK", Accounts: accounts } };
    if (path !== "/api.xro/2.0/Invoices") return undefined;
    const since = String(headers["if-modified-since"] ?? "");
    const changed = invoices.filter(({ UpdatedDateUTC: updatedAt }) => updatedAt > since);
    const size = Number(query.get("pageSize") ?? 100);
    const page = Number(query.get("page") ?? 1);
    return { body: { Status: "OK", Invoices: changed.slice((page - 1) * size, page * size) } };
  };
}

/** For `jackfield simulate xero --api fakes/xero.ts`. */
export default createXero(makeAccounts());
