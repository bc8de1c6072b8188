import { explainRefusal } from '#core/media/prepare/explainRefusal'
import { assert, suite } from '#support/runner/suite'

const test = suite("what ffmpeg's refusals mean")

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
  ['[vist#0:0/none @ 0x1] Decoding requested, but no decoder found for: none', 'unsupported-media'],
  ['moov atom not found\nInvalid data found when processing input', 'invalid-request'],
  ['av_interleaved_write_frame(): No space left on device', 'unavailable'],
  ['', 'invalid-request'],
  [
    '  Metadata:\n    title           : No space left on device, unsupported, Cannot allocate memory',
    'invalid-request',
  ],
]
for (const [said, code] of refusals) {
  test(`"${said.slice(0, 60).replaceAll('\n', ' ')}" is ${code}`, () => {
    const error = explainRefusal({ stderr: said, exitCode: 1 })
    assert.is(error.code, code)
    assert.match(error.detail, /^[A-Z].*\.$/)
    assert.equal(error.cause, { program: 'ffmpeg', exitCode: 1, stderr: said })
  })
}

test('the cause keeps the end of a long log', () => {
  const { cause } = explainRefusal({ stderr: `${'x'.repeat(9000)}end`, exitCode: null })
  const { exitCode, stderr } = cause as { exitCode: null; stderr: string }
  assert.equal([exitCode, stderr.length, stderr.endsWith('xend')], [null, 4000, true])
})
