import { isAccountFile, plainPath, tableOf, yearOf } from '#internal/takeout/names/folders'
import { matchSideCars } from '#internal/takeout/names/matchSideCars'
import { clipNames, originalStem, partsOf } from '#internal/takeout/names/nameParts'
import rules from '#internal/takeout/rules.json'
import { assert, suite } from '#support/runner/suite'

const test = suite('rules of names in exports')

type Matching = { readonly media: string; readonly json: string; readonly title?: string }

const sideCarOf = ({ media, json, title }: Matching) =>
  matchSideCars([media], [{ name: json, title }]).get(media)

const matching: readonly Matching[] = [
  ...rules.sideCarWord.examples,
  ...rules.sideCarLength.examples,
  ...rules.copyNumber.examples,
  ...rules.noEnding.examples,
  ...rules.letterCase.examples,
  ...rules.replacedLetters.examples,
]

for (const example of matching)
  test(`${example.media} has the side-car ${example.json}`, () => {
    assert.is(sideCarOf(example), example.json)
  })

for (const example of rules.copyNumber.not)
  test(`${example.media} does not have the side-car ${example.json}`, () => {
    assert.is(sideCarOf(example), undefined)
  })

for (const { edited, original, json } of [
  ...rules.editedSuffix.examples,
  ...rules.appleEdited.examples.map((one) => ({ ...one, json: `${one.original}.json` })),
])
  test(`${edited} is the edited version of ${original}, and has its side-car`, () => {
    const { stem, ending } = partsOf(edited)
    assert.is(originalStem(stem, ending), partsOf(original).stem)
    assert.is(sideCarOf({ media: edited, json }), json)
  })

for (const { photo, clip } of [...rules.clipEnding.examples, ...rules.liveEnding.examples])
  test(`${clip} has the name of the photo ${photo}, and its side-car`, () => {
    const { stem, number } = partsOf(photo)
    const names = clipNames(clip).map((name) => partsOf(name))
    assert.ok(names.some((name) => name.stem.replace(/_HEVC$/, '') === stem && name.number === number))
    assert.is(sideCarOf({ media: clip, json: `${photo}.json` }), `${photo}.json`)
  })

test('each file of a folder gets the side-car of its own number', () => {
  const numbers = ['', '(1)', '(2)', '(3)']
  const media = numbers.map((number) => `IMG_0484${number}.JPG`)
  const found = matchSideCars(
    media,
    numbers.map((number) => ({ name: `IMG_0484.JPG${number}.json`, title: 'IMG_0484.JPG' })),
  )
  assert.equal(
    media.map((name) => found.get(name)),
    numbers.map((number) => `IMG_0484.JPG${number}.json`),
  )
})

test('of cut names the longest counts, and nothing is taken where two fit alike', () => {
  const photo = '13039_327707840323_537645323_9470255_27214_n.jpg'
  const cut = '13039_327707840323_537645323_9470255_27214_n.j.json'
  assert.is(sideCarOf({ media: photo, json: cut }), cut)
  const two = [{ name: 'a.jpg.json' }, { name: 'A.JPG.json' }]
  assert.is(matchSideCars(['a.jpg'], two).get('a.jpg'), undefined)
})

test('folders are told apart in the languages of accounts', () => {
  for (const { path, plain } of rules.photosFolder.examples) assert.is(plainPath(path), plain)
  for (const { path, year } of rules.yearFolder.examples) assert.is(yearOf(path) ?? '', year)
  for (const { path, table } of rules.icloudTables.examples) {
    const found = tableOf(path)
    assert.is(found?.kind === 'album' ? found.title : found?.kind, table)
  }
  for (const { path } of rules.accountFile.examples) assert.ok(isAccountFile(path), path)
})

test('every rule names where it is from', () => {
  for (const [name, { says, sources }] of Object.entries(rules)) {
    assert.ok(says.length > 20, name)
    for (const source of sources) assert.match(source, /^https:\/\/github\.com\//)
  }
})

test.run()
