import { useAnnounced } from "../../data/live/announcer.ts";

/** What has arrived by itself, for those who do not see it arrive. */
export function LiveRegion() {
  const text = useAnnounced();
  return (
    <div className="hidden" role="status" data-live="">
      {text}
    </div>
  );
}
