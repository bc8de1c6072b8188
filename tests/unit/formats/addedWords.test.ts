import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '@lantern-room/base/bytes'
import { readNow, wallClock } from '@lantern-room/formats'
import { piecesOfParts } from '@lantern-room/mp4/source'
import { planWords, readWords } from '#internal/formats/words'
import type { PhotoWords } from '#internal/formats/words/photoWords'
import { exiftool } from '#support/media/exiftool'
import { ffmpeg } from '#support/media/media'
import { projectRoot } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('words that are added to photos')
const folder = await folderOfSuite('words')

const WORDS: PhotoWords = {
  takenAt: wallClock(new Date('2020-09-02T20:33:52Z'), 120),
  place: { latitude: -52.5, longitude: 13.405, altitude: -4.5 },
  description: 'Ada & <Tom> é',
  rating: 5,
  people: ['Ada', 'Tom & Co'],
  keywords: ['Sea 🌊', 'Trip'],
}
const TAGS =
  'DateTimeOriginal OffsetTimeOriginal GPSLatitude GPSLongitude GPSAltitude Description Rating PersonInImage Subject Warning'

const sample = async (name: string) =>
  new Uint8Array(await readFile(join(projectRoot, 'tests/fixtures/media', name)))
const picture = async (codec: string) =>
  new Uint8Array(
    await ffmpeg([
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x48',
      '-frames:v',
      '1',
      '-c:v',
      codec,
      '-f',
      'image2pipe',
      '-',
    ]),
  )

function added(file: Uint8Array, words = WORDS): Uint8Array {
  const plan = readNow(planWords(file.length === 0 ? { size: 0 } : { size: file.length }, words), file)
  return plan ? concatBytes(piecesOfParts(plan.parts, file)) : file
}

async function tagsOf(file: Uint8Array, ending: string) {
  const path = join(folder, `photo.${ending}`)
  await writeFile(path, file)
  const asked = TAGS.split(' ').map((tag) => `-${tag}`)
  const [tags] = JSON.parse((await exiftool('-j', '-n', ...asked, path)).toString())
  return tags
}

for (const [kind, ending, file] of [
  ['a JPEG without metadata', 'jpg', await picture('mjpeg')],
  ['a PNG', 'png', await picture('png')],
] as const)
  test(`${kind} gets all of them, and nothing a second time`, async () => {
    const written = added(file)
    const { SourceFile, ...tags } = await tagsOf(written, ending)
    assert.equal(tags, {
      DateTimeOriginal: '2020:09:02 22:33:52',
      OffsetTimeOriginal: '+02:00',
      GPSLatitude: -52.5,
      GPSLongitude: 13.405,
      GPSAltitude: -4.5,
      Description: 'Ada & <Tom> é',
      Rating: 5,
      PersonInImage: ['Ada', 'Tom & Co'],
      Subject: ['Sea 🌊', 'Trip'],
    })
    assert.equal(readNow(readWords({ size: written.length }), written)?.place?.latitude, -52.5)
  })

test('a HEIC without EXIF gets them as XMP', async () => {
  const written = added(await sample('p3-nclx.heic'))
  const tags = await tagsOf(written, 'heic')
  assert.is(tags.Description, 'Ada & <Tom> é')
  assert.is(tags.DateTimeOriginal, '2020:09:02 22:33:52+02:00')
  assert.equal([tags.GPSLatitude, tags.GPSLongitude, tags.Rating], [-52.5, 13.405, 5])
  assert.is(tags.Warning, undefined)
})

test('what a photo says itself stays, and keywords join its own', async () => {
  const path = join(folder, 'own.jpg')
  await writeFile(path, await picture('mjpeg'))
  await exiftool(
    '-q',
    '-overwrite_original',
    '-DateTimeOriginal=2001:02:03 04:05:06',
    '-XMP:Rating=2',
    '-XMP:Subject=Trip',
    '-GPSLatitude=1',
    '-GPSLatitudeRef=N',
    '-GPSLongitude=2',
    '-GPSLongitudeRef=W',
    '-ImageDescription=mine',
    path,
  )
  const tags = await tagsOf(added(new Uint8Array(await readFile(path))), 'jpg')
  assert.equal(
    [
      tags.DateTimeOriginal,
      tags.Rating,
      tags.Subject,
      tags.GPSLongitude,
      tags.Description,
      tags.OffsetTimeOriginal,
    ],
    ['2001:02:03 04:05:06', 2, ['Trip', 'Sea 🌊'], -2, undefined, undefined],
  )
})

test('a motion photo with a gain map stays one, at a new length', async () => {
  for (const name of ['motion-depth-gainmap.jpg', 'ultrahdr-depth-first.jpg', 'xmp-prefix-Camera.jpg']) {
    const file = await sample(name)
    const written = added(file)
    const [before, after] = await Promise.all([file, written].map((one, i) => exif(one, `${name}-${i}.jpg`)))
    assert.equal(after, before, name)
  }

  async function exif(bytes: Uint8Array, name: string) {
    const path = join(folder, name)
    await writeFile(path, bytes)
    const report = await exiftool(
      '-j',
      '-n',
      '-validate',
      '-MPImageLength',
      '-MotionPhoto',
      '-MPImage2#',
      '-b',
      '-EmbeddedVideoFile',
      path,
    )
    const [{ SourceFile, ...tags }] = JSON.parse(report.toString())
    return tags
  }
})

test('no damaged file is changed', async () => {
  const jpeg = added(await picture('mjpeg'))
  for (const cut of [0, 1, 2, 11, 12, 40, 200]) {
    const piece = jpeg.subarray(0, cut)
    assert.equal(added(piece), piece)
  }
})

test.run()
