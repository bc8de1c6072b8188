import { readGoogleJson } from '#internal/takeout/words/googleJson'
import { readAlbumTable, readPhotoDetails, timeOfTable } from '#internal/takeout/words/icloudTables'
import { joinSaid, NOTHING_SAID } from '#internal/takeout/words/said'
import { assert, suite } from '#support/runner/suite'

const test = suite('what exports say of photos')

const sideCar = (fields: object) =>
  readGoogleJson(JSON.stringify({ title: 'a.jpg', photoTakenTime: { timestamp: '1599078832' }, ...fields }))

test('a side-car tells time, place, description, favourite and people', () => {
  const read = sideCar({
    title: 'Tom &amp; Ada.jpg',
    description: ' At the &quot;sea&quot; ',
    geoData: { latitude: 52.5, longitude: 13.4, altitude: 34.5 },
    geoDataExif: { latitude: 0, longitude: 0, altitude: 0 },
    favorited: true,
    people: [{ name: 'Ada' }, { name: 'Ada' }, { name: ' ' }],
  })
  assert.equal(read, {
    kind: 'photo',
    title: 'Tom &amp; Ada.jpg',
    said: {
      takenMs: 1599078832000,
      place: { latitude: 52.5, longitude: 13.4, altitude: 34.5 },
      description: 'At the "sea"',
      isFavourite: true,
      people: ['Ada'],
    },
    doubts: [],
  })
})

test('what cannot be true is named, and counts as not said', () => {
  const read = sideCar({
    photoTakenTime: { timestamp: '99999999999' },
    geoData: { latitude: 123, longitude: 13 },
    favorited: 'yes',
    people: { name: 'Ada' },
    description: 7,
  })
  assert.equal(read?.kind === 'photo' && [read.said, read.doubts], [
    NOTHING_SAID,
    ['its time cannot be', 'its place is not on the earth'],
  ])
})

test('an album is told from a side-car, in both forms', () => {
  assert.equal(readGoogleJson('{"title":"Sea","description":"","date":{"timestamp":"0"}}'), {
    kind: 'album',
    title: 'Sea',
  })
  assert.equal(readGoogleJson('{"albumData":{"title":"Sea"}}'), { kind: 'album', title: 'Sea' })
})

for (const text of [
  '',
  '[]',
  '{"a":1}',
  'null',
  '{"title":"x"}',
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  `${'{"albumData":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
])
  test(`${text.slice(0, 20)} is neither`, () => {
    assert.is(readGoogleJson(text), undefined)
  })

test('a table of iCloud tells times and favourites', () => {
  const rows = readPhotoDetails(
    '\ufeffimgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate\r\n' +
      'IMG_1.HEIC,Af+Q=,yes,no,no,"Saturday June 4,2022 12:11 PM GMT",10,"Saturday June 4,2022 12:11 PM GMT"\r\n' +
      '"a ""b"".jpg",x,no,no,yes,"Friday October 06,2023 12:05 AM GMT",1,""\n',
  )
  assert.equal(
    rows?.map(({ name, said, isDeleted }) => [name, said.takenMs, said.isFavourite, isDeleted]),
    [
      ['IMG_1.HEIC', Date.UTC(2022, 5, 4, 12, 11), true, false],
      ['a "b".jpg', Date.UTC(2023, 9, 6, 0, 5), false, true],
    ],
  )
  assert.equal(readPhotoDetails(''), [])
  assert.is(readPhotoDetails('a,b\n1,2\n'), undefined)
  assert.is(timeOfTable('Saturday Smarch 4,2022 12:11 PM GMT'), undefined)
  assert.is(timeOfTable('Thursday February 30,2022 1:00 PM GMT'), undefined)
})

test('an album of iCloud is a list of names', () => {
  assert.equal(readAlbumTable('imgName\nIMG_1.HEIC\r\n"a,b.jpg"\n\n'), ['IMG_1.HEIC', 'a,b.jpg'])
})

test('of two that say something, the first counts', () => {
  const joined = joinSaid({ ...NOTHING_SAID, takenMs: 1 }, { ...NOTHING_SAID, takenMs: 2, description: 'x' })
  assert.equal(joined, { ...NOTHING_SAID, takenMs: 1, description: 'x' })
})

test.run()
