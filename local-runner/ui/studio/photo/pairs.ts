import { crc32, readPhoto, wallClock, type ZipMember, zipOf } from '@lantern-room/formats/browser'
import { pairFiles, readPhotoMarks, readVideoMarks } from '@lantern-room/media/browser'
import { blobSource, readFrom } from '@lantern-room/mp4/source'
import { numbered } from './naming'

/** A photo and the video that was recorded with it, by their places among the files. */
export type Pair = {
  readonly photo: number
  readonly video: number
  /** The moment of the video that the photo shows; undefined where it does not say. */
  readonly momentUs: number | undefined
}

/** Finds the photos of Live Photos whose video is among the files. A photo with a video of its own is in no pair. */
export async function findPairs(files: readonly File[]): Promise<readonly Pair[]> {
  const known = await Promise.all(files.map((file, at) => marksOf(file, at).catch(() => undefined)))
  const photos = known.flatMap((one) => (one?.isPhoto ? one : []))
  const videos = known.flatMap((one) => (one && !one.isPhoto ? one : []))
  return [...pairFiles(photos, videos)].map(([photo, video]) => ({
    photo: photo.at,
    video: video.at,
    momentUs: video.marks.stillTimeUs,
  }))
}

/** What a file says of itself. @returns undefined of what can be no part of a pair */
async function marksOf(file: File, at: number) {
  const source = blobSource(file)
  const photo = await readFrom(readPhoto(file), source)
  if (photo?.clip) return undefined
  if (photo) {
    const marks = await readFrom(readPhotoMarks(file, photo), source)
    return {
      at,
      path: file.name,
      isPhoto: true,
      marks: { ...marks, stillTimeUs: undefined, seconds: undefined },
    }
  }
  const marks = await readFrom(readVideoMarks(file), source)
  return marks.seconds === undefined ? undefined : { at, path: file.name, isPhoto: false, marks }
}

/** The two files as one, in the form in which clouds hand out a Live Photo: a ZIP, which the service takes apart. */
export async function joinPair(photo: File, video: File): Promise<File> {
  const stem = photo.name.replace(/\.\w+$/, '')
  const [head = 0] = new Uint8Array(await photo.slice(0, 1).arrayBuffer())
  const members = [
    await memberOf(`${stem}.${head === 0xff ? 'jpg' : 'heic'}`, photo),
    await memberOf(`${stem}.mov`, video),
  ]
  const pieces = zipOf(members, timeOf(photo.lastModified))
  return new File(pieces as BlobPart[], `${stem}.zip`, { type: 'application/zip' })
}

/**
 * All files in one; those whose name is there already, also in other case, get a number: on most disks one would replace the other.
 * @throws RangeError for 4 GiB or more
 */
export async function zipFiles(files: readonly { readonly name: string; readonly file: Blob }[]) {
  const members: ZipMember<Blob>[] = []
  const taken = new Set<string>()
  for (const { name: wanted, file } of files) {
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = numbered(wanted, number)
    taken.add(name.toLowerCase())
    members.push(await memberOf(name, file))
  }
  return new Blob(zipOf(members, timeOf(Date.now())) as BlobPart[], { type: 'application/zip' })
}

async function memberOf(name: string, file: Blob): Promise<ZipMember<Blob>> {
  const crc = crc32(new Uint8Array(await file.arrayBuffer()))
  return { name, size: file.size, crc, pieces: [file] }
}

function timeOf(unixMs: number) {
  const moment = new Date(unixMs)
  return wallClock(moment, -moment.getTimezoneOffset())
}
