import { bytesSource } from '#core/formats/source/byteSource'
import { takeCover } from '#core/media/cover/takeCover'
import type { FfmpegOutcome, FfmpegTask, WebpAnimation } from '#core/media/ports'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'

const test = suite('taking a cover')
const { signal } = new AbortController()
const STILLS = { 'cover.jpg': Uint8Array.of(1), 'thumbnail.jpg': Uint8Array.of(2) }
const FAILED = { exitCode: 1 }
const TOO_LATE = { stderr: '[Parsed_showinfo_3 @ 0x1] n:   0 pts:  99 pts_time:99 fmt:yuv420p' }
const FULL = { stderr: 'av_write_trailer(): No space left on device' }

type Options = {
  readonly answer?: (source: string) => Partial<FfmpegOutcome>
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly bytes?: Uint8Array
  readonly kind?: 'video' | 'webp'
  readonly animation?: WebpAnimation
}

/** Where ffmpeg reads the picture from. */
function sourceOf({ args, stdin }: FfmpegTask): string {
  if (stdin) return args.includes('rawvideo') ? 'picture' : 'group'
  const file = /file:\/(?:work\/)?(\w+)/.exec(args.join(' '))?.[1] ?? ''
  return file === 'original' ? `original from ${args[args.indexOf('-ss') + 1]}` : file
}

async function take({ answer = () => ({}), files = STILLS, bytes, kind = 'video', animation }: Options) {
  const { ffmpeg, tasks } = scriptedFfmpeg((task) => answer(sourceOf(task).split(' ')[0] ?? ''))
  const { workFolders } = fakeWorkFolders(new Map(Object.entries(files)))
  const work = takeCover(
    { ffmpeg, webp: { open: async () => animation }, limits: { maxInputSeconds: 60 } },
    {
      preview: { path: async () => '/preview' },
      original: {
        bytes: bytesSource(bytes ?? new Uint8Array()),
        path: async () => '/original',
        traits: { ...PREVIEW.original, kind, firstFrame: 600 },
      },
    },
    3,
    { folder: await workFolders.open(), signal, timeoutMs: 1000 },
  )
  const code = await work.then(
    () => 'taken',
    () => codeOf(work),
  )
  return { code, from: tasks.map(sourceOf), tasks }
}

test('of an MP4 only the pictures around it are given to ffmpeg', async () => {
  const { from, tasks } = await take({ bytes: previewMp4({ frames: 700 }) })
  assert.equal(from, ['group'])
  const movie = tasks[0]?.stdin
  // Sample n is filled with n: the last is one of the second from 600 on.
  assert.is(movie instanceof Uint8Array && Math.floor(((movie.at(-1) ?? 0) + 512) / 30), 20)
})

test('an original is entered earlier while the first picture comes too late', async () => {
  const { from } = await take({ answer: (source) => (source === 'original' ? TOO_LATE : {}) })
  assert.is(from.length, 3)
  assert.match(from[0] ?? '', /from 20/)
  assert.match(from[1] ?? '', /from 10/)
  assert.equal((await take({})).from, from.slice(0, 1), 'in time')
  const failed = await take({ answer: (source) => (source === 'original' ? { ...TOO_LATE, ...FAILED } : {}) })
  assert.is(failed.from.at(-1), 'preview', 'a failure is not tried again')
  assert.is(failed.from.length, 2)
})

test('the preview has it where the original has not, and nothing has it on a full disk', async () => {
  const fails = (source: string) => (source === 'preview' ? {} : FAILED)
  const { code, from } = await take({ answer: fails, bytes: previewMp4({ frames: 700 }) })
  assert.equal([code, from.length, from[0], from.at(-1)], ['taken', 3, 'group', 'preview'])
  assert.is((await take({ answer: () => FAILED })).code, 'internal')
  assert.is((await take({ files: {} })).from.at(-1), 'preview', 'no cover was written')
  const full = await take({ answer: () => FULL })
  assert.equal([full.code, full.from.length], ['unavailable', 1])
})

test('a thumbnail too large for EXIF is made again from the cover', async () => {
  const large = { ...STILLS, 'thumbnail.jpg': new Uint8Array(70_000) }
  assert.is((await take({ files: large })).from.at(-1), 'cover')
})

test('a picture of an animated WebP is decoded here', async () => {
  const animation: WebpAnimation = {
    width: 1,
    height: 1,
    delaysMs: [20_000, 1000],
    async *frames() {
      yield Uint8Array.of(1)
      yield Uint8Array.of(2)
    },
  }
  const { from, tasks } = await take({ kind: 'webp', animation })
  assert.equal([from, tasks[0]?.stdin], [['picture'], Uint8Array.of(2)])
  assert.is((await take({ kind: 'webp' })).code, 'unavailable')
})

test.run()
