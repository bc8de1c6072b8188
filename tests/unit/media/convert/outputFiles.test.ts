import { latin1 } from '#core/bytes'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import {
  isMotionPhotoProfile,
  OUTPUT_PROFILES,
  outputFiles,
  sizeOfFiles,
} from '#core/media/convert/outputFiles'
import { assert, suite } from '#support/runner/suite'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'

const test = suite('files of a profile')

const material = { ...sampleParts, namedAt: sampleParts.takenAt }
const namesOf = (profile: (typeof OUTPUT_PROFILES)[number]) =>
  outputFiles(profile, material)
    .map(({ name }) => name.replace('IMG_20260304_050607', ''))
    .join(' ')

test('a motion photo is one file, a Live Photo two, and all are six', () => {
  for (const profile of OUTPUT_PROFILES)
    if (isMotionPhotoProfile(profile)) assert.is(namesOf(profile), '_MP.jpg', profile)
  assert.is(namesOf('apple'), '.JPG .MOV')
  assert.is(namesOf('all'), '_MP.jpg _huawei_MP.jpg _old_MP.jpg .JPG .MOV README.txt')
})

test('in all, every file is for whom its name says, and the note names it', () => {
  const files = outputFiles('all', material)
  const [universal, huawei, old] = files.map(({ bytes }) => readMotionPhoto(bytes))
  assert.ok(universal?.samsung && universal.xmp?.oplus)
  assert.ok(huawei?.huawei)
  assert.is(old?.xmp?.microVideo, 1)
  const note = new TextDecoder().decode(files.at(-1)?.bytes)
  for (const { name } of files.slice(0, -1)) assert.match(note, name)
})

test('two Live Photos never have the same identifier', () => {
  const still = () => latin1(outputFiles('apple', material)[0]?.bytes ?? new Uint8Array())
  const [one, two] = [still(), still()].map(
    (text) => /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/.exec(text)?.[0],
  )
  assert.ok(one)
  assert.is.not(one, two)
})

test('the size is that of all files', () => {
  assert.is(sizeOfFiles([3, 4].map((size) => ({ name: 'a', bytes: new Uint8Array(size) }))), 7)
})

test.run()
