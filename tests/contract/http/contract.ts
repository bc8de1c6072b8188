import { readFile } from 'node:fs/promises'
import type { Host } from '#support/hosts/hosts'
import { type MediaFolder, mediaFolderOfSuite } from '#support/media/media'
import type { Settings } from '#support/process/serverProcess'
import type { Test } from '#support/runner/suite'
import type { Prepared } from './requests'

// What the cases of the contract are tried with: hosts, settings, films.

/** What a host cannot do, and why; undefined where it can. */
export type HostTraits = {
  readonly noRanges?: string
  /** It answers cross-origin requests on its own, whatever the app says. */
  readonly noOrigins?: string
  /** It reads the types and bodies of requests before the app does. */
  readonly readsBodies?: string
  /** The store takes the files of uploads by itself, so that what happens to wrong ones is for its own tests. */
  readonly presigns?: string
  /** Bytes of a request body that it refuses by itself, with words of its own. */
  readonly bodyLimit?: number
  /** Where it leaves uploads to a queue that no request waits for: their state then. */
  readonly queued?: 'received'
}

export type Clips = {
  /** 2 s, 320×240, with sound. */
  readonly talking: Uint8Array
  /** 1 s, 322×242, without sound, recorded on 6 May 2024 at 07:08:09 UTC. */
  readonly silent: Uint8Array
  /** Of 10 pictures, 0.1 s each. */
  readonly gif: Uint8Array
  /** Two pictures, of a fifteenth of a second together. */
  readonly moment: Uint8Array
  readonly still: Uint8Array
  /** MP4 with sound alone. */
  readonly sound: Uint8Array
  readonly wav: Uint8Array
}

export type Contract = {
  readonly test: Test<unknown>
  readonly traits: HostTraits
  readonly clips: () => Clips
  /** With the default settings. */
  readonly open: () => Host
  /** With a token, allowed origins, and small limits: see `GUARD`. */
  readonly guarded: () => Host
  /** A session of `talking` on the open host. It is never cleaned up. */
  readonly session: () => Prepared
}

export const GUARD = {
  token: 'a-token-of-the-tests.0123456789',
  origin: 'https://app.example.com',
  maxUploadBytes: 400_000,
  maxClipSeconds: 1,
}
export const BEARER = { Authorization: `Bearer ${GUARD.token}` }

export const GUARD_SETTINGS: Settings = {
  MEDIA_SERVICE_TOKEN: GUARD.token,
  ALLOWED_ORIGINS: `${GUARD.origin}, https://other.example.com`,
  MAX_UPLOAD_BYTES: String(GUARD.maxUploadBytes),
  MAX_CLIP_SECONDS: String(GUARD.maxClipSeconds),
}

/** What POST /prepare answers of `talking`, but for addresses, times and the exact length of the file. */
export const TALKING = {
  duration: 2,
  width: 320,
  height: 240,
  source_width: 320,
  source_height: 240,
  has_audio: true,
  has_still: false,
  frames: 60,
  captured_at: null,
  captured_at_from: null,
  from: 0,
  to: 2,
}

/** The clips for the tests of a file. */
export async function clipsOfSuite(): Promise<Clips> {
  return makeClips(await mediaFolderOfSuite())
}

/** Media of the least size that says something, made by a real ffmpeg. */
export async function makeClips(media: MediaFolder): Promise<Clips> {
  const make = async (name: string, args: readonly string[]) => readFile(await media.make(name, args))
  const scene = (size: string, seconds: number, rate = 30) => [
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
  ]
  const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  return {
    talking: await make('talking.mp4', [
      ...scene('320x240', 2),
      ...tone(2),
      ...h264,
      ...['-c:a', 'aac', '-movflags', '+faststart'],
    ]),
    silent: await make('silent.mp4', [
      ...scene('322x242', 1),
      ...h264,
      ...['-metadata', 'creation_time=2024-05-06T07:08:09Z'],
    ]),
    gif: await make('ten.gif', scene('64x48', 1, 10)),
    still: await make('still.png', [...scene('64x48', 1), '-frames:v', '1']),
    moment: await make('moment.mp4', [...scene('64x48', 1), ...h264, '-frames:v', '2']),
    sound: await make('sound.mp4', [...tone(1), '-c:a', 'aac']),
    wav: await make('sound.wav', tone(1)),
  }
}
