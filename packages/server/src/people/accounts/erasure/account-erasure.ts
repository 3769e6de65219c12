/** What an erasure of an account counts. */
export type AccountCounts = Readonly<
  Partial<
    Record<
      "environments" | "api_keys" | "users" | "log_operations" | "log_messages" | "audit_names",
      number
    >
  >
>;

export interface AccountErasure {
  readonly id: string;
  readonly accountId: string;
  readonly step: number;
  readonly environmentIds: readonly string[];
  readonly counts: AccountCounts;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}
