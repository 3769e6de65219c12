import { createSync } from "jackfield";
import * as z from "zod";

interface DriveFile {
  id: string;
  name: string;
  mimeType: string;
  size?: string;
  modifiedTime: string;
  trashed: boolean;
}

const File = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number().nullable(),
  modifiedAt: z.iso.datetime(),
});

/** Files in the bin are deletions; the others are saved. */
export default createSync({
  description: "Copies names and sizes of the files in Drive.",
  frequency: "every hour",
  models: { File },

  exec: async (svc) => {
    const pages = svc.paginate<DriveFile>({
      endpoint: "/drive/v3/files",
      params: {
        fields: "nextPageToken,files(id,name,mimeType,size,modifiedTime,trashed)",
        orderBy: "modifiedTime",
      },
      retries: 3,
      paginate: {
        type: "cursor",
        limit: 2,
        limit_name_in_request: "pageSize",
        cursor_name_in_request: "pageToken",
        cursor_path_in_response: "nextPageToken",
        response_path: "files",
      },
    });

    for await (const files of pages) {
      const [gone, kept] = [
        files.filter(({ trashed }) => trashed),
        files.filter(({ trashed }) => !trashed),
      ];
      await svc.batchSave(kept.map(toFile), "File");
      await svc.batchDelete(gone, "File");
    }
  },
});

function toFile(file: DriveFile): z.infer<typeof File> {
  return {
    id: file.id,
    name: file.name,
    type: file.mimeType,
    bytes: file.size === undefined ? null : Number(file.size),
    modifiedAt: file.modifiedTime,
  };
}
