import type { VideoFormat } from '#internal/mp4/video/videoFormat'
import { readAvcFormat, readHevcFormat } from '#internal/mp4/video/videoFormat'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'

// Sequence parameter sets that x264 and x265 wrote for 320 × 180 pixels, unless another size is told.

const test = suite('what a parameter set says of a video')

type Case = readonly [what: string, set: string, facts: string]

const avc: readonly Case[] = [
  [
    'constrained baseline',
    '6742c00dd901419f9f0110000003001000000303c0f142a480',
    'Baseline 1.3 8 4:2:0 320×180',
  ],
  ['main', '674d400deca0a0cfcf8088000003000800000301e078a14cb0', 'Main 1.3 8 4:2:0 320×180'],
  ['extended', '6758c00dd901419f9f0110000003001000000303c0f142a480', 'Extended 1.3 8 4:2:0 320×180'],
  ['high', '6764000dacd941419f9f0110000003001000000303c0f1429960', 'High 1.3 8 4:2:0 320×180'],
  ['10 bits', '676e000da6cd941419f9f0110000030001000003003c0f142996', 'High 10 1.3 10 4:2:0 320×180'],
  ['4:2:2', '677a000db6cd941419f8dc0440000003004000000f03c50a6580', 'High 4:2:2 1.3 10 4:2:2 320×180'],
  [
    '4:4:4',
    '67f4000d919b282833f1b80880000003008000001e078a14cb',
    'High 4:4:4 Predictive 1.3 8 4:4:4 320×180',
  ],
  ['grey', '6764000df36505067e37016c80000003008000001e078a14cb', 'High 1.3 8 4:0:0 320×180'],
  ['interlaced', '67640015acd941433f260220000003002000000783e28532c0', 'High 2.1 8 4:2:0 320×180 interlaced'],
  ['8K', '6742c03cda00780021db0110000003001000000303c0f08042a0', 'Baseline 6 8 4:2:0 7680×4320'],
]

const hevc: readonly Case[] = [
  [
    'main',
    '42010101600000030090000003000003003ca00a080c1f3e595952930bc05a020000030002000003003c10',
    'Main 2 8 4:2:0 320×180',
  ],
  [
    'main 10',
    '42010102200000030090000003000003003ca00a080c1f3b6595952930bc05a020000003002000000303c1',
    'Main 10 2 10 4:2:0 320×180',
  ],
  [
    '4:2:2',
    '4201010408000003009d0800000300003cb00a080c1f1ad965654a4c2f016808000003000800000300f040',
    'Range Extensions 2 10 4:2:2 320×180',
  ],
  [
    '12 bits',
    '420101040800000300998800000300003ca00a080c1f394a595952930bc05a020000030002000003003c10',
    'Range Extensions 2 12 4:2:0 320×180',
  ],
  [
    'interlaced',
    '42010101600000030040000003000003003ca00a080c1f3e595952930bc05a1a0000030002000003003c10',
    'Main 2 8 4:2:0 320×180 interlaced',
  ],
  [
    'the high tier',
    '420101216000000300900000030000030099a00a080c1f3e595952930bc05a020000030002000003003c10',
    'Main 5.1 8 4:2:0 320×180',
  ],
  [
    '8K',
    '4201010160000003009000000300000300b4a000f008004385965654a4c2f0168080000003008000000f04',
    'Main 6 8 4:2:0 7680×4320',
  ],
]

function told(format: VideoFormat | undefined): string {
  if (!format) return 'damaged'
  const { profile, level, bitDepth, chroma, width, height, isInterlaced } = format
  return `${profile} ${level} ${bitDepth} ${chroma} ${width}×${height}${isInterlaced ? ' interlaced' : ''}`
}

for (const [codec, read, cases] of [
  ['H.264', readAvcFormat, avc],
  ['HEVC', readHevcFormat, hevc],
] as const) {
  for (const [what, set, facts] of cases) {
    test(`${codec}, ${what}: ${facts}`, () => assert.is(told(read(hex(set))), facts))
  }
  test(`a set of ${codec} that is cut before its size is damaged`, () => {
    const whole = hex(cases[0]?.[1] ?? '')
    const bytesToSize = codec === 'H.264' ? 8 : 21
    for (let length = 0; length <= bytesToSize; length++) {
      assert.is(read(whole.subarray(0, length)), undefined, `${length} bytes`)
    }
  })
  test(`a set of ${codec} of any bytes is read, or damaged`, () => {
    for (let seed = 0; seed < 500; seed++) {
      const bytes = Uint8Array.from({ length: 40 }, (_, at) => (seed * 7919 + at * at * 104_729) >> 3)
      const format = read(bytes)
      assert.ok(format === undefined || (format.width > 0 && format.height <= 16_384))
    }
  })
}

test('lists of scaling factors are passed over', () => {
  // As High, with a list of 16 equal factors: one delta ends it. 7 absent lists follow.
  const bits = [
    ...['01100100', '00000000', '00001101', '1', '010', '1', '1', '0', '1'],
    ...['1', '000010001', '0000000'], // present, delta -8 -> 0
    ...['1', '011', '010', '0', '000010100', '0001100', '1', '1', '0', '0', '1'],
  ].join('')
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0')
  const bytes = (padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  assert.is(told(readAvcFormat(Uint8Array.of(0x67, ...bytes))), 'High 1.3 8 4:2:0 320×192')
})

test.run()
