import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exiftool } from '#support/media/exiftool'
import { film, mediaFolderOf } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// Photos with a depth map before their gain map, as phones write them, before exiftool.

const test = suite('gain maps among other pictures', { timeoutMs: 240_000 })

const media = await mediaFolderOf(test)
const fixture = (name: string) => join(projectRoot, 'tests/fixtures/media', `${name}.jpg`)

/** The value of a tag in what another tag holds. */
async function valueIn(path: string, holder: string, tag: string): Promise<string> {
  const held = await media.write('held.jpg', await exiftool('-b', `-${holder}`, path))
  return (await exiftool('-s3', `-${tag}`, held)).toString().trim()
}

async function directoryOf(path: string): Promise<readonly string[]> {
  const names = ['Semantic', 'Length', 'Padding'].map((name) => `-DirectoryItem${name}`)
  return (await exiftool('-s3', ...names, path)).toString().trim().split('\n')
}

test('without its clip the photo keeps both maps, and each is what it is called', async () => {
  const motion = fixture('motion-depth-gainmap')
  const still = media.path('still.jpg')
  await mustRunProgram(['extract', '--what', 'still', motion, '-fo', still])
  const bytes = await readFile(motion)
  equalBytes((await readFile(still)).subarray(-1079 - 1550), bytes.subarray(7384, 7384 + 1079 + 1550))
  assert.equal(await directoryOf(still), ['Primary, Depth, GainMap', '0, 1079, 1550', '0, 0, 0'])
  assert.is(await valueIn(still, 'GainMapImage', 'GainMapMax'), '2')
  assert.is(await valueIn(still, 'MPImage3', 'GainMapMax'), '2')
  assert.is(await valueIn(still, 'MPImage2', 'GainMapMax'), '')
  const folder = media.path('stripped')
  await mustRunProgram(['strip', motion, '--out', folder])
  equalBytes(await readFile(join(folder, 'motion-depth-gainmap.jpg')), await readFile(still))
})

test('a pair keeps the gain map, which is not the first of the pictures behind the photo', async () => {
  const video = await media.make('video.mp4', film('160x90', 2))
  const made = media.path('pair.jpg')
  await mustRunProgram([fixture('ultrahdr-depth-first'), video, '-qfo', made])
  assert.match((await directoryOf(made))[0] ?? '', /^Primary, GainMap, MotionPhoto$/)
  equalBytes(
    new Uint8Array(await exiftool('-b', '-MPImage2', made)),
    new Uint8Array(await exiftool('-b', '-MPImage3', fixture('ultrahdr-depth-first'))),
  )
})

test.run()
