import { readFile } from 'node:fs/promises'
import { readIndex } from '@lantern-room/mp4'
import { bytesSource } from '@lantern-room/mp4/source'
import { mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { calmestStart } from '../../../../../../local-runner/ui/studio/photo/calm'

const test = suite('the calmest seconds of a video')
const media = await mediaFolderOfSuite()

/** Ten seconds of a picture that changes by noise of a strength at each second. */
async function startIn(name: string, strength: string): Promise<number | undefined> {
  const noise = `noise=all_seed=1:all_flags=t:alls=30:enable='${strength}'`
  const path = await media.make(name, [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=160x120:rate=30:duration=10,${noise}`,
    '-pix_fmt',
    'yuv420p',
  ])
  const { movie } = await readIndex(bytesSource(await readFile(path)))
  const track = movie?.tracks.find(({ kind }) => kind === 'video')
  assert.ok(track)
  return track && calmestStart(track)
}

test('is where its coded pictures are smallest, if they are much smaller than in the middle', async () => {
  const start = await startIn('late.mp4', 'lt(t,6)')
  assert.ok(start !== undefined && start >= 5.5 && start <= 7, String(start))
  assert.is(await startIn('even.mp4', '1'), undefined)
})

test.run()
