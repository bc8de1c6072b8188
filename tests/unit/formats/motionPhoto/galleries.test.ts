import { CHECKS, type CheckName, GALLERY_RULES, type Subject } from '#internal/formats/motionPhoto/galleries'
import type { MotionPhoto } from '#internal/formats/motionPhoto/read'
import { GALLERIES, type Gallery } from '#internal/formats/profiles/profile'
import { assert, suite } from '../../../support/runner/suite'
import { type Exif, emptyPhoto, fullXmp, noExif, type Xmp } from './samplePhoto'

const test = suite('what galleries want')

const picture = { mime: 'image/jpeg', semantic: 'Primary', length: 0, padding: 0 }
const video = { mime: 'video/mp4', semantic: 'MotionPhoto', length: 400, padding: 0 }

const xmp: Xmp = { ...fullXmp, microVideo: undefined, items: [picture, video] }
const exif: Exif = { ...noExif, xiaomiMark: 'ExifIFD', userComment: 'oplus_8388608' }

/** 1000 bytes: the clip has 300 of them from 600 on, and 100 follow it. */
const photo: MotionPhoto = {
  ...emptyPhoto,
  primaryLength: 500,
  xmp,
  exif,
  mpf: [],
  clip: { offset: 600, length: 300 },
  samsung: {
    blocks: [{ type: 0x0a30, name: 'MotionPhoto_Data', offset: 600, length: 300 }],
    directoryOffset: 950,
  },
  huawei: { coverFrame: 6, clipOffset: 600 },
}
const clip: Subject['clip'] = {
  durationSeconds: 2,
  codec: 'avc1',
  width: 1,
  height: 1,
  frames: 60,
  fps: 30,
  hasAudio: false,
  format: undefined,
  problems: [],
}

const withXmp = (change: Partial<Xmp>): Partial<MotionPhoto> => ({ xmp: { ...xmp, ...change } })
const withExif = (change: Partial<Exif>): Partial<MotionPhoto> => ({ exif: { ...exif, ...change } })
const holds = (name: CheckName, change: Partial<MotionPhoto> = {}) =>
  CHECKS[name]({ photo: { ...photo, ...change }, clip })
const micro = { ...xmp, microVideo: 1 }

/** What makes a check hold, and what breaks it. */
const cases: Readonly<Record<CheckName, { holds: Partial<MotionPhoto>[]; breaks: Partial<MotionPhoto>[] }>> =
  {
    'has-clip': { holds: [{}], breaks: [{ clip: undefined }] },
    'google-mark': {
      holds: [{}],
      breaks: [withXmp({ motionPhoto: 0 }), withXmp({ motionPhoto: undefined }), { xmp: undefined }],
    },
    'google-directory': {
      holds: [
        {},
        withXmp({ items: [{ ...video, mime: undefined }] }),
        withXmp({ items: [{ ...video, semantic: undefined }] }),
        withXmp({ items: [{ ...video, mime: 'video/quicktime', semantic: 'x' }] }),
      ],
      breaks: [withXmp({ items: [] }), withXmp({ items: [picture] }), { xmp: undefined }],
    },
    'item-length': {
      holds: [
        {},
        withXmp({ items: [picture, { ...video, length: 300 }, { ...picture, length: 100 }] }),
        { motionPhotoBox: { boxStart: 592, start: 600, end: 1000 }, xmp: undefined },
      ],
      breaks: [
        withXmp({ items: [picture, { ...video, length: 300 }] }),
        withXmp({ items: [picture, { ...video, length: 401 }] }),
        withXmp({ items: [picture, { ...video, length: undefined }] }),
        withXmp({ items: [picture, video, { ...picture, length: undefined }] }),
        withXmp({ items: [picture] }),
      ],
    },
    'micro-video': { holds: [{ xmp: micro }], breaks: [{}, withXmp({ microVideo: 0 }), { xmp: undefined }] },
    'micro-video-offset': {
      holds: [{}],
      breaks: [
        withXmp({ microVideoOffset: 300 }),
        withXmp({ microVideoOffset: undefined }),
        { xmp: undefined, clip: undefined },
      ],
    },
    'no-micro-video': {
      holds: [{}, { xmp: undefined }],
      breaks: [{ xmp: micro }, withXmp({ microVideo: 0 })],
    },
    'samsung-block': {
      holds: [
        {},
        {
          samsung: { blocks: [{ type: 0x0a30, name: '', offset: 1, length: 1 }], directoryOffset: 950 },
          motionPhotoBox: { boxStart: 592, start: 600, end: 1000 },
        },
      ],
      breaks: [
        { samsung: undefined },
        { samsung: { blocks: [], directoryOffset: 950 } },
        { samsung: { blocks: [{ type: 0x0a31, name: '', offset: 600, length: 300 }], directoryOffset: 950 } },
        { samsung: { blocks: [{ type: 0x0a30, name: '', offset: 576, length: 324 }], directoryOffset: 950 } },
        { motionPhotoBox: { boxStart: 600, start: 608, end: 1000 } },
        { samsung: undefined, motionPhotoBox: { boxStart: 592, start: 600, end: 1000 } },
      ],
    },
    'xiaomi-mark': {
      holds: [{}, withExif({ xiaomiMark: 'IFD0' })],
      breaks: [withExif({ xiaomiMark: undefined }), { exif: undefined }],
    },
    'xiaomi-place': {
      holds: [{}, withExif({ xiaomiMark: undefined })],
      breaks: [withExif({ xiaomiMark: 'IFD0' })],
    },
    'oppo-xmp': { holds: [{}], breaks: [withXmp({ oplus: undefined }), { xmp: undefined }] },
    'oppo-length': {
      holds: [
        {},
        withXmp({ oplus: undefined }),
        withXmp({ oplus: xmp.oplus && { ...xmp.oplus, videoLength: undefined } }),
      ],
      breaks: [withXmp({ oplus: xmp.oplus && { ...xmp.oplus, videoLength: 400 } }), { clip: undefined }],
    },
    'oppo-comment': {
      // Bit 23 alone, with lower ones, with higher ones, and with one above 32 bits.
      holds: ['8388608', '16777215', '25165824', '4303355904'].map((flags) =>
        withExif({ userComment: `oplus_${flags}` }),
      ),
      breaks: [
        ...['8388607', '16777216', '4294967296', '', '-8388608'].map((flags) => `oplus_${flags}`),
        ...['my oplus_8388608', undefined],
      ]
        .map((userComment) => withExif({ userComment }))
        .concat({ exif: undefined }),
    },
    'oppo-index': { holds: [{}], breaks: [{ mpf: undefined }] },
    'vivo-xmp': {
      holds: [{}],
      breaks: [
        withXmp({ vivo: undefined }),
        withXmp({ vivo: xmp.vivo && { ...xmp.vivo, motionPhotoVersion: undefined } }),
        { xmp: undefined },
      ],
    },
    'huawei-tail': {
      holds: [{}, { huawei: { coverFrame: undefined, clipOffset: 600 } }],
      breaks: [
        { huawei: undefined },
        { huawei: undefined, clip: undefined },
        { huawei: { coverFrame: 6, clipOffset: 599 } },
      ],
    },
    'special-format': { holds: [{}], breaks: [withXmp({ isSpecialFormat: false }), { xmp: undefined }] },
    'apple-pair': { holds: [], breaks: [{}] },
  }
for (const name of Object.keys(cases) as CheckName[]) {
  test(`${name} holds where it should, and only there`, () => {
    cases[name].holds.forEach((change, i) => {
      assert.is(holds(name, change), true, `holds ${i}`)
    })
    cases[name].breaks.forEach((change, i) => {
      assert.is(holds(name, change), false, `breaks ${i}`)
    })
  })
}

test('a photo without anything is recognised by no gallery', () => {
  for (const gallery of GALLERIES) assert.is(recognises(gallery, emptyPhoto), false, gallery)
})

function recognises(gallery: Gallery, subject: MotionPhoto): boolean {
  return GALLERY_RULES[gallery].ways.some((way) =>
    way.every((name) => CHECKS[name]({ photo: subject, clip })),
  )
}

// docs/motion-photo.md, "What each gallery reads": which galleries are left when one mark is missing.
const left: readonly (readonly [string, Partial<MotionPhoto>, string])[] = [
  ['nothing', {}, 'google samsung xiaomi oppo vivo huawei android'],
  ['the clip', { clip: undefined }, ''],
  ['XMP', { xmp: undefined }, 'samsung huawei'],
  [
    'the mark of google, but MicroVideo is there',
    { xmp: { ...micro, motionPhoto: undefined } },
    'google samsung xiaomi huawei android',
  ],
  ['nothing, and MicroVideo is there', { xmp: micro }, 'google samsung xiaomi vivo huawei android'],
  ['the directory', withXmp({ items: [] }), 'samsung huawei android'],
  ['EXIF', { exif: undefined }, 'google samsung oppo vivo huawei android'],
  [
    'the place of the mark of xiaomi',
    withExif({ xiaomiMark: 'IFD0' }),
    'google samsung oppo vivo huawei android',
  ],
  ['the trailer of samsung', { samsung: undefined }, 'google xiaomi oppo vivo huawei android'],
  ['the fields of oppo', withXmp({ oplus: undefined }), 'google samsung xiaomi vivo huawei android'],
  ['the fields of vivo android', withXmp({ vivo: undefined }), 'google samsung xiaomi oppo huawei android'],
  ['the tail of huawei android', { huawei: undefined }, 'google samsung xiaomi oppo vivo android'],
  [
    'what is disputed',
    { mpf: undefined, ...withExif({ userComment: undefined }) },
    'google samsung xiaomi oppo vivo huawei android',
  ],
]
for (const [what, change, galleries] of left) {
  test(`without ${what}: ${galleries || 'none'}`, () => {
    const found = GALLERIES.filter((gallery) => recognises(gallery, { ...photo, ...change }))
    assert.is(found.join(' '), galleries)
  })
}

test('the moment of the picture is read where the gallery reads it', () => {
  const times = (change: Partial<MotionPhoto>) =>
    GALLERIES.map((gallery) => GALLERY_RULES[gallery].coverTime({ photo: { ...photo, ...change }, clip }))
  assert.equal(times({}), [1, 1, 1, 3, 1, 200_000, 1, undefined])
  const untimed = times(withXmp({ presentationTimestampUs: undefined, oplus: undefined }))
  assert.equal(untimed, [2, 2, 2, undefined, 2, 200_000, 2, undefined])
  assert.equal(times(withXmp({ oplus: undefined }))[3], 1)
  assert.equal(times({ xmp: undefined, huawei: undefined }), Array(8).fill(undefined))
})

test("Huawei's frame is a moment only in a clip whose rate is known", () => {
  const { coverTime } = GALLERY_RULES.huawei
  const at = (coverFrame: number, fps: number) =>
    coverTime({
      photo: { ...photo, huawei: { coverFrame, clipOffset: 600 } },
      clip: clip && { ...clip, fps },
    })
  assert.equal([at(0, 30), at(1, 30), at(7, 24), at(7, 0)], [0, 33_333, 291_667, undefined])
  assert.is(coverTime({ photo, clip: undefined }), undefined)
})

test.run()
