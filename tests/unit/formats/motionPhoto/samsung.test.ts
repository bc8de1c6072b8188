import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { readNow } from '@lantern-room/mp4/source'
import {
  CLIP_BLOCK_HEADER,
  encodeSamsungTrailer,
  readSamsungTrailer,
  SAMSUNG_TRAILER_SIZE,
  type SamsungTrailer,
} from '#internal/formats/motionPhoto/samsung'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('Samsung trailer')

function trailerOf(file: Uint8Array): SamsungTrailer | undefined {
  return readNow(readSamsungTrailer({ size: file.length }), file)
}

test('the block header is these 24 bytes', () => {
  equalBytes(CLIP_BLOCK_HEADER, hex('0000 300a 10000000 4d6f74696f6e50686f746f5f44617461'))
})

test('the trailer of a clip of 1,000,000 bytes is these 75 bytes', () => {
  equalBytes(
    encodeSamsungTrailer(1_000_000, 8),
    hex(`
      0000 310a 13000000 4d6f74696f6e50686f746f5f56657273696f6e 6d707633
      53454648 6b000000 02000000
      0000 300a 7f420f00 58420f00
      0000 310a 1f000000 1f000000
      24000000 53454654
    `),
  )
  assert.is(SAMSUNG_TRAILER_SIZE, 75)
})

const clip = asciiBytes('....ftypmp42 and so on')
const file = concatBytes([
  asciiBytes('a JPEG before'),
  CLIP_BLOCK_HEADER,
  clip,
  asciiBytes('in-between'),
  encodeSamsungTrailer(clip.length, 10),
])

test('it is read back, wherever the clip lies', () => {
  const start = 13 + 24
  assert.equal(trailerOf(file)?.blocks, [
    { type: 0x0a30, name: 'MotionPhoto_Data', offset: start, length: clip.length },
    { type: 0x0a31, name: 'MotionPhoto_Version', offset: file.length - 75 + 27, length: 4 },
  ])
  assert.is(trailerOf(file)?.directoryOffset, file.length - 44)
})

test('a file that is cut at its end has none', () => {
  for (let length = 0; length < file.length; length++) {
    assert.is(trailerOf(file.subarray(0, length)), undefined, `${length} bytes`)
  }
})

test('a file that is cut at its beginning loses the blocks that begin there', () => {
  for (let start = 0; start <= file.length; start++) {
    const blocks = trailerOf(file.subarray(start))?.blocks.length
    const expected =
      start <= 13 ? 2 : start <= file.length - 75 ? 1 : start <= file.length - 44 ? 0 : undefined
    assert.is(blocks, expected, `from byte ${start}`)
  }
})

test('a name that fills the whole file is no name', () => {
  const block = concatBytes([hex('0000 300a 70110100'), new Uint8Array(70_000)])
  const directory = hex('53454648 6b000000 01000000 0000 300a 78110100 78110100 18000000 53454654')
  assert.is(block.length, 0x11178)
  assert.equal(trailerOf(concatBytes([block, directory]))?.blocks, [])
})

const count = file.length - 44 + 8
const firstEntry = count + 4
const changes: Record<string, [at: number, bytes: string, blocks: number | undefined]> = {
  'a directory length that leads nowhere': [file.length - 8, 'ffffffff', undefined],
  'a directory length of 0': [file.length - 8, '00000000', undefined],
  'a count of four billion': [count, 'ffffffff', 2],
  'a count of one': [count, '01000000', 1],
  'a distance before the file': [firstEntry + 4, 'ffffffff', 1],
  'a block that ends in the directory': [firstEntry + 8, '59000000', 1],
  'a block shorter than its name': [firstEntry + 8, '10000000', 1],
  'a block of another type than its entry says': [firstEntry + 2, '310a', 1],
}
for (const [name, [at, bytes, blocks]] of Object.entries(changes)) {
  test(name, () => {
    const changed = file.slice()
    changed.set(hex(bytes), at)
    assert.is(trailerOf(changed)?.blocks.length, blocks)
  })
}

test.run()
