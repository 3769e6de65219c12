import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./data/query-client.ts";
import { router } from "./router.tsx";

/** Shows the screen of the address in place of what is there, once it can be shown whole. */
export async function showApp(root: HTMLElement): Promise<void> {
  await router.load();
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
