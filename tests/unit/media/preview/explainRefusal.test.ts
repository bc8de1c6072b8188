import { ffmpegFailure } from '#internal/media/ffmpeg/requireSuccess'
import type { FfmpegOutcome } from '#internal/media/ports'
import { explainRefusal } from '#internal/media/preview/explainRefusal'
import { assert, suite } from '#support/runner/suite'

const test = suite("what ffmpeg's refusals mean")

const refusalOf = (outcome: Omit<FfmpegOutcome, 'stdout'>) => ffmpegFailure(outcome, explainRefusal)

const refusals: readonly [said: string, code: string][] = [
  ['[gif @ 0x1] Picture size 65535x65535 exceeds specified max pixel count 36000000', 'payload-too-large'],
  ['[h264 @ 0x1] Cannot allocate memory', 'payload-too-large'],
  ["Stream map '0:V:0' matches no streams.", 'unsupported-media'],
  ['Decoder (codec none) not found for input stream #0:0', 'unsupported-media'],
  ['[vist#0:0/none @ 0x2] Decoding requested, but no decoder found for: none', 'unsupported-media'],
  [
    "[vvc @ 0x3] The decoder 'vvc' is experimental but experimental codecs are not enabled, add '-strict -2' if you want to use it.",
    'unsupported-media',
  ],
  ['moov atom not found\nInvalid data found when processing input', 'invalid-request'],
  ['av_interleaved_write_frame(): No space left on device', 'unavailable'],
  ['Disk quota exceeded', 'unavailable'],
  ['', 'invalid-request'],
  [
    '  Metadata:\n    title           : No space left on device, unsupported, Cannot allocate memory',
    'invalid-request',
  ],
]
for (const [said, code] of refusals) {
  test(`"${said.slice(0, 60).replaceAll('\n', ' ')}" is ${code}`, () => {
    const error = refusalOf({ stderr: said, exitCode: 1 })
    assert.is(error.code, code)
    assert.match(error.detail, /^[A-Z].*\.$/)
    assert.equal(error.cause, { program: 'ffmpeg', exitCode: 1, stderr: said })
  })
}

const stream = (kind: string, codec: string) =>
  `  Stream #0:1[0x2](und): ${kind}: ${codec}, none, 128x96, 15 fps`
const NOT_READ = 'Error while opening decoder for input stream #0:1 : Invalid argument'

const codecs: readonly [codec: string, name: string, failure?: string][] = [
  ['magicyuv (M8Y0 / 0x3059384D)', 'MagicYUV, which is not read here'],
  [
    'utvideo (ULY0 / 0x30594C55)',
    'Ut Video (utvideo), which is not read here',
    '[vist#0:1/utvideo @ 0x1] [dec:utvideo @ 0x2] Error while opening decoder: Invalid argument',
  ],
  ['ffv1 (FFV1 / 0x31564646)', 'FFV1, which is not read here'],
  [
    'none (zzzz / 0x7A7A7A7A)',
    'zzzz, which is not read here',
    '[vist#0:1/none @ 0x2] Decoding requested, but no decoder found for: none',
  ],
  ['none ([7][0][0][0] / 0x0007)', 'unknown, which', 'Decoder (codec none) not found for input stream #0:1'],
  [
    'av1 (Main) (av01 / 0x31307661)',
    'AV1, which this installation cannot read',
    'Decoder (codec av1) not found for input stream #0:1',
  ],
  ['constructor', 'CONSTRUCTOR, which is not read here'],
]
for (const [codec, name, failure = NOT_READ] of codecs) {
  test(`a picture in ${codec} is refused by name, and told what to do`, () => {
    const error = refusalOf({ stderr: `${stream('Video', codec)}\n${failure}`, exitCode: 1 })
    assert.is(error.code, 'unsupported-media')
    assert.ok(error.detail.startsWith(`The video uses the codec ${name}`), error.detail)
    assert.match(error.detail, /Convert it to H\.264, for example with HandBrake, and send it again\.$/)
  })
}

test('a codec that is read is not to blame for a picture that its decoder refuses', () => {
  const said = `${stream('Video', 'h264 (High)')}\n[h264 @ 0x1] Picture size 8192x4608 exceeds specified max pixel count 36000000\n`
  const words = "[ssa @ 0x1] Codec (ssa) not on whitelist 'h264'\n"
  for (const before of ['', words])
    assert.is(refusalOf({ stderr: before + said + NOT_READ, exitCode: 1 }).code, 'payload-too-large')
})

test('a stream that nobody asked for is not to blame', () => {
  const said = `${stream('Subtitle', 'ass')}\n[ssa @ 0x1] Codec (ssa) not on whitelist 'h264'\n`
  for (const failure of ['Invalid data found when processing input', '    title : '.concat(NOT_READ)])
    assert.is(refusalOf({ stderr: `${said}${failure}`, exitCode: 1 }).code, 'invalid-request')
})

test('the cause keeps the end of a long log', () => {
  const { cause } = refusalOf({ stderr: `${'x'.repeat(9000)}end`, exitCode: null })
  const { exitCode, stderr } = cause as { exitCode: null; stderr: string }
  assert.equal([exitCode, stderr.length, stderr.endsWith('xend')], [null, 4000, true])
})

test.run()
