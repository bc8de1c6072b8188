import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { createSharpWebp } from '#core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { bytesSource } from '#core/media/byteSource'
import { makeClip } from '#core/media/clip/makeClip'
import { readMediaConfig } from '#core/media/config'
import { planClip } from '#core/media/convert/clip'
import { convertClip } from '#core/media/convert/convertClip'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { readPreviewTrack } from '#core/media/thumbnails/previewTrack'
import { takeThumbnails } from '#core/media/thumbnails/takeThumbnails'
import type { Preview } from '#core/media/traits'
import { materialOf } from '#support/media/mediaTools'
import { ORIGIN } from '#support/media/prepared'
import { findProgram } from '#support/process/findProgram'
import { inTurn, report } from './measure'
import { naivePipeline } from './naive'

export const PHONE_CLIP = '/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4'
const ROUNDS = 5

/** Prepare and convert against the naive pipeline, on ten seconds of 1080p. */
export async function benchMedia(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lantern-bench-'))
  try {
    await compare(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(folder: string): Promise<void> {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const input = join(folder, 'input.mp4')
  console.log(`input: ${await makeInput(path, input)}`)
  const { limits, previewSize } = readMediaConfig({})
  const dependencies = {
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits,
    previewSize,
    version: 'bench',
  }
  const workFolders = createWorkFolders({ folder: join(folder, 'work') })
  const naive = naivePipeline(path, findProgram('ffprobe'), folder)
  const { signal } = new AbortController()

  const prepareOnce = async <T>(use: (preview: Preview) => Promise<T> | T): Promise<T> => {
    const work = await workFolders.open()
    try {
      return await use(
        await preparePreview(dependencies, { path: input, kind: 'video' }, { folder: work, signal }),
      )
    } finally {
      await work.dispose()
    }
  }
  report(
    'prepare: 10 s of 1080p30',
    await inTurn(
      ROUNDS,
      () => naive.prepare(input),
      () => prepareOnce(() => undefined),
    ),
    '≥ 3.5×',
  )

  await naive.prepare(input)
  await prepareOnce(async (preview) => {
    for (const [what, start, end, cover, speed] of [
      ['convert: 3 s at speed 1', 4, 7, 5.5, 1],
      ['convert: 3 s at speed 2', 4, 7, 5.5, 2],
    ] as const) {
      const plan = planClip({ rangeStart: start, rangeEnd: end, coverTime: cover, speed }, preview.frames, 60)
      const convertOnce = async () => {
        const work = await workFolders.open()
        try {
          await convertClip(
            dependencies,
            {
              preview: { ...(await materialOf(preview.path)), hasAudio: preview.hasAudio },
              original: { ...(await materialOf(input)), traits: preview.original },
            },
            {
              plan,
              profile: 'universal',
              mute: false,
              quality: 'preview',
              origin: ORIGIN,
            },
            { folder: work, signal },
          )
        } finally {
          await work.dispose()
        }
      }
      report(what, await inTurn(ROUNDS, () => naive.convert({ start, end, cover, speed }), convertOnce))
    }
    for (const [what, startFrame, speed, isSource, goal] of [
      ['clip alone: 3 s, on a key frame', 120, 1, false, '≥ 100×'],
      ['clip alone: 3 s, 9 frames before a key frame', 126, 1, false, '≥ 40×'],
      ['clip alone: 3 s at speed 2', 120, 2, false, '≥ 12×'],
      ['clip alone: 3 s in the quality of the source', 120, 1, true, '≤ 0.15 CPU-s'],
    ] as const) {
      const start = startFrame / 30
      const previewBytes = (await materialOf(preview.path)).bytes
      const originalBytes = (await materialOf(input)).bytes
      const makeOnce = async () => {
        const work = await workFolders.open()
        try {
          await makeClip({
            ffmpeg: dependencies.ffmpeg,
            timeoutMs: 60_000,
            signal,
            preview: previewBytes,
            plan: { startFrame, sourceFrames: 90, clipFrames: Math.round(90 / speed), speed },
            hasSound: preview.hasAudio,
            source: isSource
              ? { bytes: originalBytes, stream: 0, firstFrame: 0, mayBeHevc: true }
              : undefined,
            folder: work,
          })
        } finally {
          await work.dispose()
        }
      }
      const naiveOnce = () => naive.convert({ start, end: start + 3, cover: undefined, speed })
      report(what, await inTurn(ROUNDS, naiveOnce, makeOnce), goal)
    }
    report(
      'thumbnail at 8 s',
      await inTurn(
        ROUNDS,
        () =>
          promisify(execFile)(path, [
            '-v',
            'error',
            '-y',
            '-i',
            naive.preview,
            '-ss',
            '8',
            '-frames:v',
            '1',
            '-vf',
            'scale=320:-1',
            join(folder, 'x.jpg'),
          ]),
        async () => {
          const source = bytesSource(await readFile(preview.path))
          const track = await readPreviewTrack(source)
          return takeThumbnails(dependencies, { source, track }, [240], 320, signal)
        },
      ),
    )
  })
}

/** A phone's own recording, repeated to ten seconds, where there is one; else a busy generated picture. */
async function makeInput(ffmpeg: string, output: string): Promise<string> {
  const run = promisify(execFile)
  if (existsSync(PHONE_CLIP)) {
    await run(ffmpeg, [
      ...['-v', 'error', '-y', '-stream_loop', '7', '-i', PHONE_CLIP, '-t', '10', '-c', 'copy', output],
    ])
    return 'a phone recording, 1920×1080, repeated to 10 s'
  }
  await run(ffmpeg, [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30:d=10'],
    ...[
      '-f',
      'lavfi',
      '-i',
      'sine=440:d=10',
      '-vf',
      'noise=alls=12:allf=t',
      '-c:v',
      'libx264',
      '-b:v',
      '15M',
    ],
    ...['-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest', output],
  ])
  return 'generated, 1920×1080, 10 s'
}
