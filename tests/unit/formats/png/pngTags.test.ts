import { deflateSync } from 'node:zlib'
import { asciiBytes, concatBytes, toHex, viewOf } from '@lantern-room/base/bytes'
import { readPngTags, readWebpTags } from '@lantern-room/formats/pictures'
import { assert, suite } from '#support/runner/suite'

const test = suite('tags of PNG and WebP')

const EXIF = asciiBytes('II*\0\x08\0\0\0\0\0\0\0\0\0')
const MARKED = concatBytes([asciiBytes('Exif\0\0'), EXIF])
const PACKET = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
const NONE = { exif: undefined, xmp: undefined, hasText: false }

function chunk(type: string, ...parts: (string | Uint8Array)[]): Uint8Array {
  const data = concatBytes(parts.map((part) => (typeof part === 'string' ? asciiBytes(part) : part)))
  const length = new Uint8Array(4)
  viewOf(length).setUint32(0, data.length)
  return concatBytes([length, asciiBytes(type), data, new Uint8Array(4)])
}

const png = (...chunks: Uint8Array[]) =>
  concatBytes([asciiBytes('\x89PNG\r\n\x1a\n'), ...chunks, chunk('IEND')])

/** As ImageMagick writes it. */
function raw(kind: string, bytes: Uint8Array): Uint8Array {
  const lines = toHex(bytes).replace(/.{72}/g, '$&\n')
  return asciiBytes(`\n${kind}\n${String(bytes.length).padStart(8)}\n${lines}\n`)
}

test('EXIF and XMP of a PNG are read where programs write them', () => {
  const plain = png(
    chunk('eXIf', EXIF),
    chunk('IDAT', 'x'),
    chunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0', PACKET),
  )
  assert.equal(readPngTags(plain), { exif: EXIF, xmp: PACKET, hasText: false })
  const marked = png(chunk('eXIf', MARKED))
  assert.equal(readPngTags(marked), { ...NONE, exif: EXIF })
  const packed = png(
    chunk('zTXt', 'Raw profile type exif\0\0', deflateSync(raw('exif', MARKED))),
    chunk('iTXt', 'XML:com.adobe.xmp\0\x01\0en\0XMP\0', deflateSync(PACKET)),
  )
  assert.equal(readPngTags(packed), { exif: EXIF, xmp: PACKET, hasText: false })
  const hex = png(chunk('tEXt', 'Raw profile type xmp\0', raw('xmp', asciiBytes(PACKET))))
  assert.equal(readPngTags(hex), { ...NONE, xmp: PACKET })
})

test('words of a PNG are told, and what is damaged, twice there or unpacks without an end', () => {
  assert.equal(readPngTags(png(chunk('tEXt', 'Title\0By the sea'))), { ...NONE, hasText: true })
  assert.equal(readPngTags(png(chunk('zTXt', 'Raw profile type exif\0\0', 'no zlib'))), {
    ...NONE,
    hasText: true,
  })
  const xmp = chunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0', PACKET)
  assert.equal(readPngTags(png(xmp, xmp)), { ...NONE, xmp: PACKET, hasText: true })
  const endless = deflateSync(new Uint8Array(64 * 1024 * 1024))
  assert.equal(readPngTags(png(chunk('zTXt', 'Raw profile type xmp\0\0', endless))), {
    ...NONE,
    hasText: true,
  })
})

test('a file that is cut anywhere is read as far as it goes', () => {
  const whole = png(chunk('eXIf', EXIF), chunk('zTXt', 'Raw profile type xmp\0\0', deflateSync(PACKET)))
  for (let length = 0; length < whole.length; length++) {
    const { exif } = readPngTags(whole.subarray(0, length))
    assert.is(exif !== undefined, length >= 8 + 12 + EXIF.length, `${length} bytes`)
  }
})

test('EXIF and XMP of a WebP', () => {
  const part = (type: string, data: Uint8Array) => {
    const head = concatBytes([asciiBytes(type), new Uint8Array(4)])
    viewOf(head).setUint32(4, data.length, true)
    return concatBytes([head, data, new Uint8Array(data.length % 2)])
  }
  const head = asciiBytes('RIFF\0\0\0\0WEBP')
  const webp = concatBytes([
    head,
    part('VP8 ', Uint8Array.of(1, 2, 3)),
    part('EXIF', MARKED),
    part('XMP ', asciiBytes(PACKET)),
  ])
  assert.equal(readWebpTags(webp), { exif: EXIF, xmp: PACKET, hasText: false })
  assert.equal(readWebpTags(webp.subarray(0, webp.length - 2)), { ...NONE, exif: EXIF })
  assert.equal(readWebpTags(head), NONE)
})

test.run()
