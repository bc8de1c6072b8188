import { endsOutside, findIndex, type Movie } from '@lantern-room/mp4'
import { presentedSeconds } from '@lantern-room/mp4/clip'
import { blobSource, numberAt } from '@lantern-room/mp4/source'

// A copy or download that broke off leaves the beginning of a file.

/** The first box of a video. Pictures of the same form have no index either, and nothing is amiss. */
const VIDEO = /^ftyp(isom|iso\d|mp4\d|qt {2}|M4V |avc1|3g)/

/** Whether an MP4 or MOV ends before its index: nothing of it can be shown. */
export async function lacksIndex(file: Blob): Promise<boolean> {
  const head = await file.slice(4, 12).text()
  return VIDEO.test(head) && (await findIndex(blobSource(file))).problem === 'incomplete'
}

/** For how many seconds pictures and sound are in a file; undefined where all are that its index names. */
export function secondsThere({ tracks }: Movie, fileBytes: number): number | undefined {
  const ends = tracks.flatMap((track) => {
    const { kind, samples } = track
    const isCut = endsOutside({ samples, first: 0, end: samples.count }, fileBytes)
    return isCut && (kind === 'video' || kind === 'audio') ? [firstAbsent(track, fileBytes)] : []
  })
  return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends))
}

function firstAbsent(track: Movie['tracks'][number], fileBytes: number): number {
  const { count, offsets, sizes } = track.samples
  const times = presentedSeconds(track)
  let least = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < count; sample += 1) {
    if (numberAt(offsets, sample) + numberAt(sizes, sample) > fileBytes) {
      least = Math.min(least, numberAt(times, sample))
    }
  }
  return least
}
