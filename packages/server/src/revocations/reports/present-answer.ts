import type { WithdrawalAnswer } from "../revocation.ts";

export function presentAnswer({ isWithdrawn, ...answer }: WithdrawalAnswer) {
  return { ...answer, is_withdrawn: isWithdrawn };
}
