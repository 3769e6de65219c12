import { recordDestinationRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { createDeliveryWork } from "./delivering/delivery-work.ts";
import { destinationHandlers } from "./routes.ts";

export const destinations = defineSlice({
  routes: serveRoutes(recordDestinationRoutes, destinationHandlers),
  due: [createDeliveryWork],
  sealedColumns: [
    {
      table: "record_destinations",
      column: "target",
      key: [["id", "uuid"]],
      row: "t.id",
    },
  ],
});
