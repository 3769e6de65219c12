import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { callApi, setCsrfToken } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { forgetLinkToken, linkTokenOfPage } from "../../data/session-start.ts";

/** Spends the one-time link that the page was opened with; `password`: to sign in with from now on. */
export function useLink() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (password?: string) => {
      const body = {
        token: linkTokenOfPage() ?? "",
        ...(password === undefined ? {} : { password }),
      };
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
