import type { ReceivedForm, WorkFolder } from '../ports'
import { MAX_PICTURE_BYTES } from '../traits'

/** Pictures that a form may hold beside its video, as a whole and in memory. */
export type SentPictures = {
  /** Instead of a picture of the video. */
  readonly coverFile: Uint8Array | undefined
  /** A photo of the phone for which the result is. */
  readonly donor: Uint8Array | undefined
}

/** For `ReceiveForm`. */
export const PICTURE_FIELDS = { names: ['cover_file', 'donor'], maxBytes: MAX_PICTURE_BYTES } as const

export const NO_PICTURES: SentPictures = { coverFile: undefined, donor: undefined }

export async function readSentPictures(
  { others }: Pick<ReceivedForm, 'others'>,
  folder: Pick<WorkFolder, 'read'>,
): Promise<SentPictures> {
  const read = async (field: string) => {
    const name = others?.get(field)
    return name === undefined ? undefined : folder.read(name)
  }
  return { coverFile: await read('cover_file'), donor: await read('donor') }
}
