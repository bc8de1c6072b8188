import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { locateFfmpeg, withoutCharacterSets } from '@lantern-room/adapters/ffmpeg'
import { folderOfSuite, makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { findProgram } from '../process/findProgram'

// Files to try things on are made by ffmpeg when a test starts, and judged by ffprobe.

/** The ffmpeg that the service would find. */
export const { path: ffmpegPath } = await locateFfmpeg(
  process.env.FFMPEG_PATH || process.env.FFMPEG_BIN || undefined,
)

const ffprobePath = findProgram('ffprobe')

/** `test.skipUnless(...withFfprobe)('sentence', body)` */
export const withFfprobe = [ffprobePath, 'ffprobe is not installed'] as const

const encoders = new TextDecoder().decode(await mustRun(ffmpegPath, ['-hide_banner', '-encoders']))

/** `test.skipUnless(...withEncoder('libx265'))('sentence', body)`; undefined is no encoder, and never missing. */
export function withEncoder(...names: readonly (string | undefined)[]): readonly [boolean, string] {
  const missing = names.filter(
    (name) => name !== undefined && !new RegExp(`^ \\S{6} ${name} `, 'm').test(encoders),
  )
  return [missing.length === 0, `this ffmpeg has no encoder ${missing.join(', ')}`]
}

export type MediaFolder = {
  readonly folder: string
  path(name: string): string
  /** Makes a file by ffmpeg. @returns its path */
  make(name: string, args: readonly string[], stdin?: Uint8Array): Promise<string>
  write(name: string, bytes: Uint8Array | string): Promise<string>
  /** Copies a file with some of its bytes changed. */
  patch(from: string, name: string, change: (bytes: Buffer) => Buffer | undefined): Promise<string>
  remove(): Promise<void>
}

/** A folder for one run of a test file. */
export async function openMediaFolder(): Promise<MediaFolder> {
  return mediaFolderAt(await makeTempFolder('lantern-media'))
}

/** A folder for the tests of a file. @see folderOfSuite */
export async function mediaFolderOfSuite(): Promise<MediaFolder> {
  return mediaFolderAt(await folderOfSuite('lantern-media'))
}

function mediaFolderAt(folder: string): MediaFolder {
  const path = (name: string) => join(folder, name)
  const write = async (name: string, bytes: Uint8Array | string) => {
    await writeFile(path(name), bytes)
    return path(name)
  }
  return {
    folder,
    path,
    write,
    async make(name, args, stdin) {
      await ffmpeg([...args, '-y', path(name)], stdin)
      return path(name)
    },
    async patch(from, name, change) {
      const bytes = await readFile(from)
      return write(name, change(bytes) ?? bytes)
    },
    remove: () => removeFolders(folder),
  }
}

/** ffmpeg's arguments for a test picture that moves, 30 frames a second in H.264, and for a tone where it is wanted. */
export function film(size: string, seconds: number, sound?: 'sound'): string[] {
  return [
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=30:duration=${seconds}`],
    ...(sound ? ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`, '-c:a', 'aac'] : []),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
  ]
}

/** Runs ffmpeg, which must succeed. @returns its standard output */
export function ffmpeg(args: readonly string[], stdin?: Uint8Array): Promise<Buffer> {
  return mustRun(ffmpegPath, ['-v', 'error', ...(stdin ? [] : ['-nostdin']), ...args], stdin)
}

/** Runs a program to its end. @throws when it refuses */
export async function mustRun(program: string, args: readonly string[], stdin?: Uint8Array): Promise<Buffer> {
  const child = spawn(program, args, {
    env: { ...process.env, ...(await withoutCharacterSets()) },
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  let words = ''
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-8000)
  })
  // A program that needs no more input closes it.
  child.stdin?.on('error', () => undefined).end(stdin)
  const exitCode = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')}\nended with ${exitCode}\n${words}`)
  return Buffer.concat(output)
}

type FfprobeStream = Readonly<Record<string, string | number | undefined>> & {
  readonly codec_type: string
  readonly tags?: Readonly<Record<string, string>>
  readonly side_data_list?: readonly Readonly<Record<string, unknown>>[]
}

type Ffprobed = {
  readonly streams: readonly FfprobeStream[]
  readonly format: { readonly duration: string; readonly tags?: Readonly<Record<string, string>> }
}

/** What ffprobe says of a file. */
export function ffprobe(path: string, ...args: readonly string[]): Promise<Ffprobed> {
  return ffprobeJson(path, ['-show_streams', '-show_format', ...args])
}

export type Packet = {
  /** Seconds. */
  readonly pts: number
  readonly dts: number
  readonly duration: number
  readonly bytes: number
  readonly isKey: boolean
}

/** The packets of a file's first video (`v:0`) or audio (`a:0`) stream, in the file's order. */
export async function packetsOf(path: string, stream = 'v:0'): Promise<Packet[]> {
  const { packets } = await ffprobeJson<{ packets: Record<string, string>[] }>(path, [
    ...['-select_streams', stream, '-show_packets'],
  ])
  return packets.map((packet) => ({
    pts: Number(packet.pts_time),
    dts: Number(packet.dts_time),
    duration: Number(packet.duration_time),
    bytes: Number(packet.size),
    isKey: packet.flags?.startsWith('K') === true,
  }))
}

/** A hash of each packet of a file's first video stream, in the file's order. @param input options of ffmpeg for reading it */
export async function packetHashesOf(path: string, input: readonly string[] = []): Promise<string[]> {
  const args = [...input, '-i', path, '-map', '0:v:0', '-c', 'copy', '-f', 'framehash', 'pipe:1']
  const listing = await ffmpeg(args)
  return [...listing.toString().matchAll(/^0,.*, *([0-9a-f]+)$/gm)].map(([, hash = '']) => hash)
}

/** The letters of a video's frames in the order of showing: `IPPPB`. */
export async function frameTypesOf(path: string): Promise<string> {
  const { frames } = await ffprobeJson<{ frames: { pict_type: string }[] }>(path, [
    ...['-select_streams', 'v:0', '-show_frames', '-show_entries', 'frame=pict_type'],
  ])
  return frames.map((frame) => frame.pict_type).join('')
}

async function ffprobeJson<T>(path: string, args: readonly string[]): Promise<T> {
  const all = ['-v', 'error', '-of', 'json', ...args, path]
  return JSON.parse((await mustRun(ffprobePath ?? 'ffprobe', all)).toString())
}
