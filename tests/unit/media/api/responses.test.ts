import { photoResponse } from '#internal/media/api/responses'
import { ORIGIN } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'

const test = suite('a photo as a response')

const PHOTO = {
  files: [{ name: 'IMG_1.jpg', type: 'image/jpeg', bytes: Uint8Array.of(0xff, 0xd8) }],
  photo: new Uint8Array(),
  presentationTimestampUs: 0,
  clipQuality: 'preview',
  sourceProblem: undefined,
  clipTurn: 0,
  metadataLost: [],
  ultraHdr: undefined,
  origin: ORIGIN,
} as const

test('its headers say how many pictures a second its source would give, where those are more', () => {
  const rateIn = (sourceRate: number | undefined) =>
    photoResponse({ ...PHOTO, sourceRate }).headers.get('X-Clip-Source-Rate')
  assert.is(rateIn(30), '30')
  assert.is(rateIn(59.9), '59.9')
  assert.is(rateIn(undefined), null)
})

test.run()
