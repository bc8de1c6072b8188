import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

const OBJECT_BYTES = 24
/** Of the objects for the header and for the data, with what both say before their content. */
const HEADER_BYTES = 30
const DATA_BYTES = 50
const DATA = '\x36\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'
const PROPERTIES = '\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65'
/** Where the properties say how long each packet is. */
const PACKET_BYTES_AT = 92
const MAX_OBJECTS = 1000

/** Whether the first packet of data is whole. @see Advanced Systems Format, revision 01.20.05, 3 and 5 */
export function* asfPicture(file: Sized): Reading<boolean> {
  const header = yield* objectAt(file, 0)
  if (!header) return false
  let at = HEADER_BYTES
  let packetBytes = 1
  for (let n = 0; n < MAX_OBJECTS && at < header.end; n++) {
    const { id, end } = (yield* objectAt(file, at)) ?? { id: '', end: header.end }
    if (id === PROPERTIES) {
      const field = yield* take(file, at + PACKET_BYTES_AT, at + PACKET_BYTES_AT + 4)
      if (field.length === 4) packetBytes = viewOf(field).getUint32(0, true)
    }
    at = end
  }
  let object = yield* objectAt(file, header.end)
  for (let n = 0; n < MAX_OBJECTS && object && object.id !== DATA; n++)
    object = yield* objectAt(file, object.end)
  if (object && object.id !== DATA) return true
  return object !== undefined && object.start + DATA_BYTES + packetBytes <= file.size
}

type AsfObject = { readonly id: string; readonly start: number; readonly end: number }

function* objectAt(file: Sized, at: number): Reading<AsfObject | undefined> {
  const head = yield* take(file, at, at + OBJECT_BYTES)
  if (head.length < OBJECT_BYTES) return undefined
  const size = Number(viewOf(head).getBigUint64(16, true))
  return { id: latin1(head, 0, 16), start: at, end: at + Math.max(size, OBJECT_BYTES) }
}
