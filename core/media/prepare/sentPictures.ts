import type { ReceivedForm, WorkFolder } from '../ports'
import { MAX_PICTURE_BYTES } from '../traits'

/** Pictures that a form may hold beside its video, as a whole and in memory. */
export type SentPictures = {
  /** Instead of a picture of the video. */
  readonly coverFile: Uint8Array | undefined
}

/** For `ReceiveForm`. */
export const PICTURE_FIELDS = { names: ['cover_file'], maxBytes: MAX_PICTURE_BYTES } as const

export const NO_PICTURES: SentPictures = { coverFile: undefined }

export async function readSentPictures(
  { others }: Pick<ReceivedForm, 'others'>,
  folder: Pick<WorkFolder, 'read'>,
): Promise<SentPictures> {
  const name = others?.get('cover_file')
  return { coverFile: name === undefined ? undefined : await folder.read(name) }
}
