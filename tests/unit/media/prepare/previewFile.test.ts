import type { WorkFolder } from '#core/media/ports'
import { readPreview } from '#core/media/prepare/previewFile'
import { codeOf } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'

const test = suite('a preview that was written')

/** A work folder with one file. @returns what is read of it, too */
function folderWith(bytes: Uint8Array | undefined) {
  let readBytes = 0
  const folder: Pick<WorkFolder, 'read' | 'size'> = {
    size: async () => bytes?.length,
    async read(_name, range) {
      const part = bytes?.slice(range?.start ?? 0, (range?.end ?? bytes.length - 1) + 1) ?? new Uint8Array()
      readBytes += part.length
      return part
    },
  }
  return { folder: folder as WorkFolder, readBytes: () => readBytes }
}

test('its frames, size and sound are read from its index alone', async () => {
  const bytes = previewMp4({ frames: 60, width: 320, height: 180, soundSeconds: 2 })
  const long = new Uint8Array(bytes.length + 1_000_000)
  long.set(bytes)
  const { folder, readBytes } = folderWith(long)
  const { audioSeconds, ...facts } = await readPreview(folder, 'preview.mp4')
  assert.equal(facts, { frames: 60, width: 320, height: 180 })
  assert.ok(Math.abs(audioSeconds - 2) < 0.05, `${audioSeconds} s`)
  assert.ok(readBytes() < 200_000, `${readBytes()} bytes`)
})

test('without sound there are no seconds of it', async () => {
  assert.is((await readPreview(folderWith(previewMp4()).folder, 'preview.mp4')).audioSeconds, 0)
})

test('a file that is missing, cut in its index or no MP4 cannot be read back', async () => {
  const bytes = previewMp4()
  for (const broken of [undefined, new Uint8Array(), bytes.subarray(0, 200), new Uint8Array(5000)])
    assert.is(await codeOf(readPreview(folderWith(broken).folder, 'preview.mp4')), 'internal')
})

test.run()
