import { mkdir, readFile } from 'node:fs/promises'
import { latin1 } from '@lantern-room/base/bytes'
import sharp from 'sharp'
import { X264 } from '#support/media/containers'
import { mediaFolderOfSuite } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// Files that begin as a video or an animation and have no picture: a dry run knows it, as the run does, and refuses no other.

const test = suite('files without a picture on the command line', { timeoutMs: 120_000 })

const media = await mediaFolderOfSuite()

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=10:duration=1']

/** How each is encoded, and where it is cut: before the first picture, and amid it. */
const KINDS: readonly (readonly [string, readonly string[], readonly (number | string)[]])[] = [
  ['a.gif', [], [6, 13, 40, 500]],
  ['a.apng', ['-plays', '0', '-f', 'apng'], [16, 60, 'IDAT']],
  ['a.avi', ['-c:v', 'mjpeg'], [16, 200, '00dc']],
  ['a.webm', ['-c:v', 'libvpx'], [16, 200, '\x1fC\xb6u']],
  ['a.mkv', X264, [40, 400]],
  ['a.ts', X264, [188, 376]],
  ['a.mpg', ['-c:v', 'mpeg2video', '-r', '25'], [16, 60]],
  ['a.flv', ['-c:v', 'flv1'], [12, 200]],
  ['a.wmv', ['-c:v', 'wmv2'], [40, 300, 700]],
  ['a.mp4', X264, [32, 'mdat']],
  ['fast.mp4', [...X264, '-movflags', 'faststart'], [60, 'mdat']],
  ['fragments.mp4', [...X264, '-movflags', 'empty_moov+frag_keyframe'], ['moof']],
]

test('what is cut before its first picture is refused in a dry run, as in the run, and nothing else', async () => {
  const folder = media.path('F')
  await mkdir(folder)
  const hollow: string[] = []
  for (const [name, args, cuts] of KINDS) {
    const whole = await readFile(await media.make(name, [...PICTURES, ...args]))
    await media.write(`F/${name}`, whole)
    for (const cut of cuts) {
      const end = typeof cut === 'number' ? cut : latin1(whole).indexOf(cut) + cut.length + 4
      assert.ok(end > 4 && end < whole.length, `${name} ${cut}`)
      hollow.push(`${end}-${name}`)
      await media.write(`F/${end}-${name}`, whole.subarray(0, end))
    }
  }
  await media.write('F/comment-a.gif', withLongComment(await readFile(media.path('a.gif'))))
  const webp = await sharp(media.path('a.gif'), { animated: true }).webp().toBuffer()
  for (const [name, bytes] of [
    ['a.webp', webp],
    ['40-a.webp', webp.subarray(0, 40)],
    ['cut-a.webp', webp.subarray(0, -10)],
  ] as const)
    await media.write(`F/${name}`, bytes)
  hollow.push('40-a.webp', 'cut-a.webp')

  const args = ['--out', media.path('OUT'), folder, '--json', '-q']
  const statuses = async (more: readonly string[]) => {
    const { stdout } = await runProgram([...args, ...more])
    const lines: { input: string; status: string }[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return lines.map(({ input, status }) => `${input.slice(folder.length + 1)} ${status}`)
  }
  const dry = await statuses(['--dry-run'])
  assert.equal(
    dry.filter((line) => line.endsWith(' refused')).map((line) => line.split(' ')[0]),
    hollow.sort(),
  )
  assert.equal(
    await statuses([]),
    dry.map((line) => line.replace('would-make', 'made')),
  )
})

/** A GIF with a comment of more blocks than are looked through, before its pictures. */
function withLongComment(gif: Uint8Array): Uint8Array {
  const flags = gif[10] ?? 0
  const start = 13 + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))
  const comment = [Buffer.of(0x21, 0xfe), Buffer.alloc(1_200_000, Buffer.of(1, 0x20)), Buffer.of(0)]
  return Buffer.concat([gif.subarray(0, start), ...comment, gif.subarray(start)])
}

test.run()
