import { readNow } from '@lantern-room/mp4/source'
import { hasFirstPicture } from '#internal/formats/firstPicture/firstPicture'
import { assert, suite } from '#support/runner/suite'

const test = suite('the first picture of a container')

/** More blocks, packets or objects than are looked at. */
const TOO_MANY = 500_001
const SEARCHED_BYTES = 1024 * 1024

function isFound(...parts: readonly Uint8Array[]): boolean {
  const file = Buffer.concat(parts)
  return readNow(hasFirstPicture({ size: file.length }), file)
}

const SCREEN = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7)])
const COMMENT = Buffer.of(0x21, 0xfe)
const IMAGE = Buffer.concat([Buffer.of(0x2c), Buffer.alloc(9), Buffer.of(2)])
const END = Buffer.of(0)

/** So many blocks of one byte. */
function blocks(count: number): Buffer {
  return Buffer.alloc(2 * count, Buffer.of(1, 0x20))
}

test('a GIF is refused where its data end, or something else is in their place', () => {
  assert.ok(isFound(SCREEN, COMMENT, blocks(3), END, IMAGE, blocks(3), END))
  assert.not.ok(isFound(SCREEN, COMMENT, blocks(3), END, IMAGE, blocks(3)))
  assert.not.ok(isFound(SCREEN, COMMENT, blocks(3)))
  assert.not.ok(isFound(SCREEN, COMMENT, blocks(3), END, Buffer.of(0x3b)))
})

test('of a GIF with more blocks than are looked at nothing is known', () => {
  assert.ok(isFound(SCREEN, COMMENT, blocks(TOO_MANY), END, IMAGE, blocks(3), END))
  assert.ok(isFound(SCREEN, COMMENT, blocks(TOO_MANY)))
  assert.ok(isFound(SCREEN, IMAGE, blocks(TOO_MANY), END))
})

const PACK = Buffer.of(0, 0, 1, 0xba)

test('a program stream is refused only where all of it was searched', () => {
  assert.not.ok(isFound(PACK, Buffer.alloc(SEARCHED_BYTES - 4, 0xff)))
  assert.ok(isFound(PACK, Buffer.alloc(SEARCHED_BYTES, 0xff)))
})

const ASF_HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')

/** An object of ASF without content, of an unknown kind by default. */
function asfObject(id: Uint8Array = Buffer.alloc(16, 1), size = 24): Buffer {
  const object = Buffer.alloc(size)
  object.set(id)
  object.writeBigUInt64LE(BigInt(size), 16)
  return object
}

test('an ASF is refused where its objects end without data, and not where they are too many', () => {
  const objects = (count: number) => Array.from({ length: count }, () => asfObject())
  assert.not.ok(isFound(asfObject(ASF_HEADER, 30), ...objects(3)))
  assert.ok(isFound(asfObject(ASF_HEADER, 30), ...objects(1001)))
})

test.run()
