import {
  decodeSession,
  encodeSession,
  isExpired,
  isId,
  newId,
  type Session,
  sessionIdOfKey,
  sessionKeys,
} from '#internal/media/sessions/session'
import { UNKNOWN_CAPTURE } from '#internal/media/traits'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('a session')

const ID = '0f8fad5bd9cb469fa16570867728950e'

test('ids are 128 random bits, and nothing else is an id', () => {
  const ids = new Set(Array.from({ length: 1000 }, newId))
  assert.is(ids.size, 1000)
  for (const id of ids) assert.ok(isId(id), id)
  for (const text of ['', 'x'.repeat(32), ID.toUpperCase(), `${ID}0`, `../${ID}`]) {
    assert.is(isId(text), false, text)
  }
})

test('its keys lead back to it, others to nothing', () => {
  for (const key of Object.values(sessionKeys(ID))) assert.is(sessionIdOfKey(key), ID)
  for (const key of ['sessions/x/preview.mp4', `uploads/${ID}/a`, ID]) {
    assert.is(sessionIdOfKey(key), undefined, key)
  }
})

test('has expired after its last second, and not at it', () => {
  assert.is(isExpired(1060, 1_060_000), false)
  assert.is(isExpired(1060, 1_060_001), true)
})

const session: Session = {
  id: ID,
  createdAt: 1_795_000_000,
  expiresAt: 1_795_086_400,
  durationMs: 1500,
  frames: 45,
  width: 1280,
  height: 720,
  hasAudio: true,
  sourceSeconds: 3600.5,
  strip: { tileWidth: 160, tileHeight: 90, rowHeight: 96, tiles: 9, interval: 5 },
  capture: {
    time: { unixMs: 1_700_000_000_000, offsetMinutes: -210 },
    place: { latitude: 48.1372, longitude: -11.5755, altitude: 519 },
    maker: 'Apple',
    model: 'iPhone 15 Pro',
  },
  still: { seconds: 1.25 },
  original: {
    kind: 'video',
    size: { width: 3840, height: 2160 },
    matrix: 'bt2020',
    primaries: 'smpte432',
    hdrTransfer: 'arib-std-b67',
    hasAlpha: false,
    isInterlaced: false,
    decoder: undefined,
    isSeekable: true,
    startsAtZero: true,
    stream: 1,
    streamId: 1,
    firstFrame: 9000,
  },
}

/** The record as JSON. */
const storedOf = (one: Session) => JSON.parse(new TextDecoder().decode(encodeSession(one)))
const read = (stored: unknown) => decodeSession(new TextEncoder().encode(JSON.stringify(stored)))

const records: Readonly<Record<string, Partial<Session>>> = {
  'with all that can be known': {},
  'of a standard range': { original: { ...session.original, hdrTransfer: undefined } },
  'of a recording of which a part is known': {
    capture: {
      time: { unixMs: 0, offsetMinutes: undefined },
      place: { latitude: 0, longitude: 1, altitude: undefined },
      maker: undefined,
      model: undefined,
    },
  },
  'of a recording of which nothing is known': { capture: UNKNOWN_CAPTURE },
  'without a filmstrip': { strip: undefined },
}
for (const [what, change] of Object.entries(records)) {
  test(`a session ${what} is read as it was written`, () => {
    assert.equal(decodeSession(encodeSession({ ...session, ...change })), { ...session, ...change })
  })
}

test('a session that says no possible time is damaged', () => {
  for (const expires_at of [
    undefined,
    null,
    '1795086400',
    '',
    [],
    1.5,
    -1,
    0,
    1_794_999_999,
    1e300,
    2 ** 53,
    true,
  ])
    assert.is(read({ ...storedOf(session), expires_at }), undefined, String(expires_at))
})

test("a record is stored under the contract's names", () => {
  const { session_id, video_path, created_at, expires_at, duration_ms } = storedOf(session)
  assert.equal([session_id, video_path], [session.id, `sessions/${session.id}/preview.mp4`])
  assert.equal([created_at, expires_at, duration_ms], [1_795_000_000, 1_795_086_400, 1500])
})

test('bytes that are no whole record are no session', () => {
  const bytes = encodeSession(session)
  for (let length = 0; length < bytes.length; length += 1) {
    assert.is(decodeSession(bytes.subarray(0, length)), undefined, `${length} bytes`)
  }
  for (const text of ['null', '[]', '{}', '"x"', '{"session_id":1}']) {
    assert.is(decodeSession(new TextEncoder().encode(text)), undefined, text)
  }
})

test.run()
