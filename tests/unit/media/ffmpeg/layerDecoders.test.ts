import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OWN_DECODERS, PLAIN_DECODERS, UPLOAD_DECODERS } from '#internal/media/ffmpeg/decoders'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('the decoders of the ffmpeg layer')

/** Of libraries that the layer does without, since ffmpeg reads the same itself. */
const OF_OTHER_LIBRARIES = [
  'libaom-av1',
  'libopus',
  'libvorbis',
  'libopencore_amrnb',
  'libopencore_amrwb',
  'libspeex',
]
/** What the build calls them. */
const BUILT_AS = new Map([
  ['libvpx', 'libvpx_vp8'],
  ['libvpx-vp9', 'libvpx_vp9'],
])

test('the layer has those that are used, and no other', async () => {
  const script = await readFile(join(projectRoot, 'layers/ffmpeg/build-from-source.sh'), 'utf8')
  const built = [...script.matchAll(/^(?:picture|sound)_decoders\+?=,?(.*)$/gm)].flatMap(([, names = '']) =>
    names.split(','),
  )
  const used = new Set([...UPLOAD_DECODERS, ...OWN_DECODERS, ...Object.values(PLAIN_DECODERS)])
  const needed = [...used].filter((name) => !OF_OTHER_LIBRARIES.includes(name))
  assert.equal(built.toSorted(), needed.map((name) => BUILT_AS.get(name) ?? name).toSorted())
})

test('MagicYUV is in no list', () => {
  assert.not.ok(UPLOAD_DECODERS.some((name) => /magic|yuv$/.test(name)))
})

test.run()
