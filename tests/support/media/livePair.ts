import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRunProgram } from '../process/commandLine'
import { exiftool } from './exiftool'
import type { MediaFolder } from './media'

/** What an iPhone says of a photo, as far as a motion photo is to keep it. */
export const PHONE_TAGS = {
  Make: 'Apple',
  Model: 'iPhone 15',
  LensModel: 'iPhone 15 back camera',
  'XMP:Rating': '4',
  GPSLatitude: '48.1372',
  GPSLatitudeRef: 'N',
  GPSLongitude: '11.5755',
  GPSLongitudeRef: 'E',
  'IFD0:Orientation': '6',
} as const

/**
 * A Live Photo as an iPhone leaves it: two files of one identifier, the photo with all that the phone says of it.
 * @param stem of the files `stem.JPG` and `stem.MOV`, in the media's folder
 */
export async function livePair(media: MediaFolder, stem: string, video: string, ...options: string[]) {
  const bundle = media.path(`${stem} bundle.pvt`)
  await mustRunProgram([video, '--profile', 'apple', '-qo', bundle, ...options])
  const [photo, movie] = [media.path(`${stem}.JPG`), media.path(`${stem}.MOV`)]
  await rename(join(bundle, `${stem} bundle.JPG`), photo)
  await rename(join(bundle, `${stem} bundle.MOV`), movie)
  await describePhoto(photo)
  return { photo, movie }
}

export async function describePhoto(path: string): Promise<void> {
  const tags = Object.entries(PHONE_TAGS).map(([name, value]) => `-${name}=${value}`)
  await exiftool('-q', '-n', '-overwrite_original', ...tags, path)
}
