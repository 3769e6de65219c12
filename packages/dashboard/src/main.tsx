import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { paintTheme } from "./data/preferences.ts";
import { queryClient } from "./data/query-client.ts";
import { takeLinkToken } from "./data/session-start.ts";
import { router } from "./router.tsx";
import "./styles/index.css";

takeLinkToken();
paintTheme();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
