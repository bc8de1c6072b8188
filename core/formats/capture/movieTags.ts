import { latin1, viewOf } from '@lantern-room/base/bytes'
import { readClock } from '@lantern-room/mp4'
import { type Box, childrenOf, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import { readMetadataItem } from '../livePhoto/metadataItems'
import { isPlausible } from '../time/moment'

/** What the index of an MP4 or MOV says of its recording. Each is read when it is asked for. */
export type MovieTags = {
  /** The text of a metadata item, such as `com.apple.quicktime.make`. */
  text(key: string): string | undefined
  /** When the movie was made by its header: Unix time in milliseconds; undefined where no clock can have shown it. */
  headerMs(): number | undefined
  /** By which programs that write such files are known: the names of its tracks' handlers, and `NCDT` of Nikon's cameras. */
  writers(): readonly string[]
  /** Its length by its header; 0 where that is unknown. */
  seconds(): number
  /** Whether more may be said in places that are not read here. */
  hasOthers(): boolean
}

/** Seconds from 1904, from where MP4 and MOV count, to 1970. */
const EPOCH_1904_SECONDS = 2_082_844_800

/** @param moov the children of that box */
export function movieTagsOf(moov: readonly Box[]): MovieTags {
  const userData = moov.filter(({ type }) => type === 'udta')
  return {
    text: (key) => readMetadataItem(moov, key),
    headerMs: () => headerMs(onlyBox(moov, 'mvhd')?.body ?? new Uint8Array()),
    writers: () => [
      ...handlersOf(moov),
      userData.some(({ body }) => latin1(body).includes('NCDT')) ? 'NCDT' : '',
    ],
    seconds() {
      const clock = readClock(onlyBox(moov, 'mvhd'))
      return clock ? clock.duration / clock.timescale : 0
    },
    hasOthers: () => userData.some(({ body }) => /day|date|time|xyz|loc|mak|man|mod/i.test(latin1(body))),
  }
}

function headerMs(header: Uint8Array): number | undefined {
  if (header.length < 12) return undefined
  const seconds = header[0] === 1 ? Number(viewOf(header).getBigUint64(4)) : viewOf(header).getUint32(4)
  const unixMs = (seconds - EPOCH_1904_SECONDS) * 1000
  return isPlausible(unixMs) ? unixMs : undefined
}

/** After version, type and reserved bytes. */
const HANDLER_NAME_AT = 24

/** Names that writers give to the handlers of tracks. */
function handlersOf(moov: readonly Box[]): string[] {
  return moov
    .filter(({ type }) => type === 'trak')
    .map(({ body }) => onlyBox(childrenOf(readBoxes(body) ?? [], 'mdia'), 'hdlr'))
    .map((handler) => handler && latin1(handler.body, HANDLER_NAME_AT).replace(/\0.*$/s, '').trim())
    .filter((name) => name !== undefined)
}
