import { createHash } from 'node:crypto'
import { concatBytes } from '#core/bytes'
import { stripJpeg } from '#core/formats/jpeg/stripJpeg'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import { bytesSource } from '#core/formats/source/byteSource'
import { bytesOfParts } from '#core/formats/source/fileParts'
import { readNow } from '#core/formats/source/reading'
import { extractFile } from '#core/media/photos/extractFile'
import { samplesOf, tracksOfClip } from '#core/media/trial/clipVariants'
import { makeVariant } from '#core/media/trial/makeVariant'
import { VARIANT_IDS, VARIANTS, type VariantId } from '#core/media/trial/variants'
import { assert, suite } from '#support/runner/suite'
import { collect } from '#support/values/collect'
import { equalBytes } from '#support/values/equalBytes'
import { material } from './sampleTrial'

const test = suite('the variants of a trial')

const digest = (bytes: Uint8Array | undefined) => bytes && createHash('sha256').update(bytes).digest('hex')
const made = (id: VariantId) => {
  const variant = makeVariant(id, material)
  if (!variant) throw new Error(`${id} was not made`)
  return variant
}

/** What a photo says of itself, each thing once: lengths and offsets that only follow from the others are left out. */
function factsOf(bytes: Uint8Array): Record<string, unknown> {
  const photo = readMotionPhoto(bytes)
  const { exif, xmp, clip: place, primaryLength = 0 } = photo ?? {}
  assert.ok(xmp && exif && place)
  const clip = bytes.slice(place.offset, place.offset + place.length)
  const { video, audio } = tracksOfClip(clip)
  const { presentationTimestampUs: oppoTimestamp, videoLength, ...oppo } = xmp.oplus ?? {}
  assert.ok(xmp.oplus === undefined || videoLength === place.length)
  return {
    still: digest(stripJpeg(bytes.subarray(0, primaryLength))?.bytes),
    thumbnail: digest(exif.thumbnail),
    date: [exif.dateTime, exif.dateTimeOriginal, exif.offsetTime],
    software: exif.software,
    xiaomi: exif.xiaomiMark,
    comment: exif.userComment,
    mpf: photo?.mpf !== undefined,
    google: [xmp.motionPhoto, xmp.motionPhotoVersion],
    timestamp: [xmp.presentationTimestampUs, xmp.oplus && oppoTimestamp],
    oppo,
    vivo: xmp.vivo,
    microVideo: xmp.microVideo,
    order: xmp.items.map(({ semantic }) => semantic),
    padding: xmp.items.map(({ semantic, padding }) => `${semantic} ${padding}`).sort(),
    samsung: photo?.samsung !== undefined,
    huawei: photo?.huawei !== undefined,
    pictures: samplesOf(clip, video).map(digest),
    times: [...video.samples.durations],
    sound: audio && samplesOf(clip, audio).map(digest),
  }
}

/** What is different in each. The timestamp of OPPO is one of its fields. */
const DIFFERENT: Readonly<Record<Exclude<VariantId, 'apple'>, readonly string[]>> = {
  universal: [],
  'no-xiaomi-tag': ['xiaomi'],
  'no-oppo-comment': ['comment'],
  'no-oppo-fields': ['timestamp', 'oppo'],
  'no-mpf': ['mpf'],
  'no-vivo-fields': ['vivo'],
  // The padding is the trailer's block header.
  'no-samsung-trailer': ['padding', 'samsung'],
  legacy: ['microVideo'],
  'no-padding': ['padding'],
  'clip-first': ['order'],
  'timestamp-absent': ['timestamp'],
  'timestamp-zero': ['timestamp'],
  'timestamp-milliseconds': ['timestamp'],
  hevc: ['pictures', 'times', 'sound'],
  'no-sound': ['sound'],
  silence: ['sound'],
  longer: ['pictures', 'times', 'sound'],
  'name-mvimg': [],
  'name-pxl': [],
  'name-img': [],
  google: ['xiaomi', 'comment', 'mpf', 'timestamp', 'oppo', 'vivo', 'padding', 'samsung'],
  huawei: ['xiaomi', 'comment', 'mpf', 'timestamp', 'oppo', 'vivo', 'padding', 'samsung', 'huawei'],
}

const baseline = factsOf(made('universal').bytes)

for (const [id, different] of Object.entries(DIFFERENT) as [keyof typeof DIFFERENT, readonly string[]][]) {
  test(`${id} differs in ${different.join(', ') || 'nothing'}`, () => {
    const facts = factsOf(made(id).bytes)
    const found = Object.keys(baseline).filter(
      (name) => JSON.stringify(facts[name]) !== JSON.stringify(baseline[name]),
    )
    assert.equal(found, different)
    assert.is(facts.still, baseline.still)
    assert.is(!found.includes('pictures') && !found.includes('times'), VARIANTS[id].hasSameFrames)
  })
}

test('the moment of the still is absent, 0 or in milliseconds in all fields that have it', () => {
  assert.equal(baseline.timestamp, [133_333, 133_333])
  assert.equal(factsOf(made('timestamp-absent').bytes).timestamp, [undefined, undefined])
  assert.equal(factsOf(made('timestamp-zero').bytes).timestamp, [0, 0])
  assert.equal(factsOf(made('timestamp-milliseconds').bytes).timestamp, [133, 133])
})

test('variants of the name have the bytes of the baseline', () => {
  for (const id of ['name-mvimg', 'name-pxl', 'name-img'] as const) {
    equalBytes(made(id).bytes, made('universal').bytes)
  }
})

test("the Live Photo has the baseline's still and pictures, and is the same each time", async () => {
  const zip = made('apple').bytes
  equalBytes(made('apple').bytes, zip)
  const part = async (what: 'still' | 'clip') => {
    const { parts } = readNow(extractFile({ size: zip.length }, what), zip)
    return concatBytes(await collect(bytesOfParts(parts, bytesSource(zip))))
  }
  assert.is(digest(stripJpeg(await part('still'))?.bytes), baseline.still)
  const movie = await part('clip')
  assert.equal(samplesOf(movie, tracksOfClip(movie).video).map(digest), baseline.pictures)
})

test('each has a name of its own, whose seconds are its number', () => {
  const names = VARIANT_IDS.map((id) => made(id).file)
  assert.is(new Set(names.map((name) => /\d{8}_\d{6}/.exec(name)?.[0])).size, VARIANT_IDS.length)
  assert.equal(names.slice(0, 2), ['IMG_20260304_050600_MP.jpg', 'IMG_20260304_050601_MP.jpg'])
  const [mvimg, pxl, img, , , zip] = names.slice(VARIANT_IDS.indexOf('name-mvimg'))
  assert.equal(
    [mvimg, pxl, img, zip],
    [
      'MVIMG_20260304_050617.jpg',
      'PXL_20260304_050618000.MP.jpg',
      'IMG_20260304_050619.jpg',
      'IMG_20260304_050622.zip',
    ],
  )
})

test('a variant whose clip could not be made is left out', () => {
  assert.is(makeVariant('hevc', { ...material, clips: {} }), undefined)
  assert.ok(makeVariant('no-mpf', { ...material, clips: {} }))
})

test('each says in one sentence what differs', () => {
  for (const id of VARIANT_IDS) assert.match(VARIANTS[id].differs, /^[A-Z].{20,130}\.$/)
})
