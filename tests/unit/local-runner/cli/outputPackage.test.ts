import { asciiBytes } from '#core/bytes'
import { assert, suite } from '#support/runner/suite'
import { isBundle, packOutput, sizeOfPackage } from '../../../../local-runner/cli/outputPackage'

const test = suite('what is written under an output')

const namedAt = { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 60 }
const one = [{ name: 'IMG_MP.jpg', bytes: asciiBytes('photo') }]
const two = [
  { name: 'IMG.JPG', bytes: asciiBytes('photo') },
  { name: 'IMG.MOV', bytes: asciiBytes('movie') },
]

test('one file is written as it is', () => {
  const made = packOutput('/x/y.jpg', 'universal', { files: one, namedAt })
  assert.equal(made, { kind: 'file', bytes: asciiBytes('photo') })
  assert.is(sizeOfPackage(made), 5)
})

test('several become a ZIP', () => {
  const made = packOutput('/x/y.zip', 'apple', { files: two, namedAt })
  assert.is(made.kind === 'file' && Buffer.from(made.bytes).toString('latin1', 0, 4), 'PK\x03\x04')
})

test('a Live Photo becomes a bundle when its name says so, with files of its name', () => {
  assert.is(isBundle('/x/cat.PVT', 'apple'), true)
  assert.is(isBundle('/x/cat.pvt', 'all'), false)
  assert.is(isBundle('/x/cat.zip', 'apple'), false)
  const made = packOutput('/x/cat.pvt', 'apple', { files: two, namedAt })
  if (made.kind !== 'folder') throw new Error('it is no folder')
  assert.equal(
    made.files.map(({ name }) => name),
    ['cat.JPG', 'cat.MOV', 'metadata.plist'],
  )
  assert.match(Buffer.from(made.files[2]?.bytes ?? []).toString(), /PFVideoComplementMetadataVersionKey/)
  assert.is(sizeOfPackage(made), 10 + (made.files[2]?.bytes.length ?? 0))
})

test.run()
