import { createHash } from 'node:crypto'
import { asciiBytes, toHex } from '@lantern-room/base/bytes'
import { md5 } from '#internal/formats/exif/md5'
import { assert, suite } from '#support/runner/suite'

const test = suite('MD5')

test('known sums, and all lengths around the ends of blocks', () => {
  assert.is(toHex(md5(new Uint8Array())), 'd41d8cd98f00b204e9800998ecf8427e')
  assert.is(toHex(md5(asciiBytes('message digest'))), 'f96b697d7cb7938d525a2f31aaf161d0')
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => 255 - ((i * 7) % 256))
    assert.is(toHex(md5(bytes)), createHash('md5').update(bytes).digest('hex'), `${length} bytes`)
  }
})

test.run()
