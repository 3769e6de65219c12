import type { Router } from "../match/router.ts";
import { matches, texts } from "../match/router-kit.ts";
import { channelEventId, channelField } from "../receive/google-channel.ts";
import { channelToken } from "./google-calendar.ts";

/** Headers only. Source: Google Drive docs, "Notifications for resource changes". */
export const googleDrive: Router = {
  proof: channelToken,
  readsHeaders: true,
  read: (request) => [
    {
      payload: request.headers,
      types: texts(channelField(request, "resource-state")),
      id: channelEventId(request),
      match: matches(
        ["metadata.driveWatchResourceIds", channelField(request, "resource-id")],
        ["metadata.calendarWatchResourceUris", channelField(request, "resource-uri")],
      ),
    },
  ],
};
