import { asciiBytes as ascii, concatBytes } from '@lantern-room/base/bytes'
import { type Sniffed, sniff } from '#internal/media/preview/sniff'
import { assert, suite } from '#support/runner/suite'
import { hex } from '#support/values/hex'

const test = suite('what first bytes say')

const brand = (name: string) => ascii(`\0\0\0\x18ftyp${name}\0\0\0\0isommp42`)
const chunk = (type: string, length: number) =>
  concatBytes([Uint8Array.of(0, 0, length >> 8, length & 255), ascii(type), new Uint8Array(length + 4)])
const png = (...chunks: readonly Uint8Array[]) => concatBytes([hex('89504e470d0a1a0a'), ...chunks])
const packets = (length: number, from: number) => {
  const bytes = new Uint8Array(length * 4)
  for (let at = from; at < bytes.length; at += length) bytes[at] = 0x47
  return bytes
}

const samples: Readonly<Record<string, readonly [Uint8Array, Sniffed]>> = {
  MP4: [brand('mp42'), 'video'],
  'an MP4 of an unknown brand': [brand('zzzz'), 'video'],
  QuickTime: [brand('qt  '), 'video'],
  '3GP': [brand('3gp4'), 'video'],
  'QuickTime without a file type': [ascii('\0\0\0\x08wide\0\0\0\0mdat'), 'video'],
  'QuickTime that begins with free space': [ascii('\0\0\0\x08free\0\0\0\0mdat'), 'video'],
  'QuickTime that begins with a skipped box': [ascii('\0\0\0\x08skip\0\0\0\0mdat'), 'video'],
  'an index without a file type': [ascii('\0\0\x01\0moov'), 'video'],
  M4A: [brand('M4A '), 'audio'],
  'an animated AVIF': [brand('avis'), 'animated-image'],
  'a still AVIF': [brand('avif'), 'still-image'],
  HEIC: [brand('heic'), 'photo'],
  'Matroska and WebM': [hex('1a45dfa3'), 'video'],
  'GIF 87': [ascii('GIF87a'), 'animated-image'],
  'GIF 89': [ascii('GIF89a'), 'animated-image'],
  'GIF 88, which there is not': [ascii('GIF88a'), 'unknown'],
  APNG: [png(chunk('IHDR', 13), chunk('acTL', 8), chunk('IDAT', 10)), 'animated-image'],
  'an APNG with a long profile first': [
    png(chunk('IHDR', 13), chunk('iCCP', 3000), chunk('acTL', 8)),
    'animated-image',
  ],
  'a still PNG': [png(chunk('IHDR', 13), chunk('IDAT', 10)), 'still-image'],
  'a still PNG with acTL behind its pixels': [
    png(chunk('IHDR', 13), chunk('IDAT', 10), chunk('acTL', 8)),
    'still-image',
  ],
  'a PNG that is still undecided': [png(chunk('IHDR', 13)), 'animated-image'],
  AVI: [ascii('RIFF\xff\xff\xff\0AVI LIST'), 'video'],
  'an animated WebP': [ascii('RIFF\xff\xff\xff\0WEBPVP8X\x0a\0\0\0\x12'), 'webp'],
  'a still WebP with a profile': [ascii('RIFF\xff\xff\xff\0WEBPVP8X\x0a\0\0\0\x20'), 'still-image'],
  'a still WebP': [ascii('RIFF\xff\xff\xff\0WEBPVP8 '), 'still-image'],
  TIFF: [ascii('II*\0'), 'still-image'],
  'JPEG XL': [hex('0000000c4a584c20'), 'still-image'],
  WAV: [ascii('RIFF\xff\xff\xff\0WAVEfmt '), 'audio'],
  'a transport stream': [packets(188, 0), 'video'],
  'a transport stream of a disc': [packets(192, 4), 'video'],
  'one sync byte': [ascii('GGGG'), 'unknown'],
  'a program stream': [hex('000001ba44'), 'video'],
  FLV: [ascii('FLV\x01'), 'video'],
  Ogg: [ascii('OggS'), 'video'],
  WMV: [hex('3026b2758e66cf11a6d900aa0062ce6c'), 'video'],
  JPEG: [hex('ffd8ffe0'), 'photo'],
  ZIP: [hex('504b0304'), 'photo'],
  BMP: [ascii('BM\0\0'), 'still-image'],
  'MP3 with a tag': [ascii('ID3\x03'), 'audio'],
  'MP3 without one': [hex('fffb9064'), 'audio'],
  AAC: [hex('fff15080'), 'audio'],
  FLAC: [ascii('fLaC'), 'audio'],
  AIFF: [ascii('FORM\0\0\0\0AIFF'), 'audio'],
  'an HLS playlist': [ascii('#EXTM3U\n'), 'unknown'],
  'a concat script': [ascii('ffconcat version 1.0\n'), 'unknown'],
  'a DASH manifest': [ascii('<?xml version="1.0"?><MPD'), 'unknown'],
  'a session description': [ascii('v=0\r\no=-'), 'unknown'],
  subtitles: [ascii('[Script Info]'), 'unknown'],
  PDF: [ascii('%PDF-1.7'), 'unknown'],
  text: [ascii('hello'), 'unknown'],
  zeros: [new Uint8Array(4096), 'unknown'],
  nothing: [new Uint8Array(), 'empty'],
}
for (const [name, [head, kind]] of Object.entries(samples)) {
  test(`${name}: ${kind}`, () => assert.is(sniff(head), kind))
}

test('a head that ends anywhere is still judged', () => {
  for (const [head] of Object.values(samples)) {
    for (let length = 0; length <= Math.min(head.length, 64); length += 1) sniff(head.subarray(0, length))
  }
})

test('a PNG whose chunk claims a length beyond everything ends the search', () => {
  assert.is(sniff(png(hex('ffffffff49484452'))), 'animated-image')
})

test.run()
