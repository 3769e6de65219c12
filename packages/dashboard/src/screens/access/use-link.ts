import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { callApi, setCsrfToken } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { forgetLinkToken, linkTokenOfPage } from "../../start/link-token.ts";

/** What comes with a link: a password to sign in with from now on, and a code where an authenticator app is in use. */
interface Chosen {
  readonly password?: string;
  readonly code?: string;
}

/** Spends the one-time link that the page was opened with. */
export function useLink() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (chosen: Chosen) => {
      const body = { token: linkTokenOfPage() ?? "", ...chosen };
      return await callApi("redeemLink", { body });
    },
    onSuccess: async ({ data }) => {
      forgetLinkToken();
      queryClient.clear();
      setCsrfToken(data.csrf_token);
      await navigate({ to: "/", replace: true });
    },
  });
}
