import { latin1 } from '@lantern-room/base/bytes'
import { clipLength, readClipStart } from '@lantern-room/formats/clipStart'
import { childrenOf, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import type { Reading } from '@lantern-room/mp4/source'
import { PlayerError } from './playerError'
import type { RemoteFile } from './remoteFile'

export type Clip = { readonly blob: Blob; readonly hasSound: boolean }

const MAX_CLIP_BYTES = 128 * 1024 * 1024

/**
 * The clip of a motion photo, from the beginning once more where the file has changed meanwhile. Of the rest of the file only what tells where the clip lies is fetched.
 * @throws PlayerError; the signal's reason
 */
export async function loadClip(file: RemoteFile, signal: AbortSignal): Promise<Clip> {
  return readClip(file, signal).catch((error: unknown) => {
    if (error instanceof PlayerError && error.code === 'changed') return readClip(file, signal)
    throw error
  })
}

async function readClip(file: RemoteFile, signal: AbortSignal): Promise<Clip> {
  const size = await file.open(signal)
  const found = await run(readClipStart({ size }), file, signal)
  if (!found?.clip) throw new PlayerError(found?.isMarked ? 'damaged' : 'no-clip')
  const { start, end } = found.clip
  if (end - start > MAX_CLIP_BYTES) throw new PlayerError('too-large')
  // At once, before its boxes are looked at one by one.
  await file.read(start, end, signal)
  const length = await run(clipLength({ size }, start, end), file, signal)
  if (length === 0) throw new PlayerError('damaged')
  const bytes = await file.read(start, start + length, signal)
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'video/mp4' })
  return { blob, hasSound: hasSound(bytes) }
}

/** As `readFrom`, but without windows: the file knows better how much to fetch at once. */
async function run<Result>(reading: Reading<Result>, file: RemoteFile, signal: AbortSignal): Promise<Result> {
  let step = reading.next()
  while (!step.done) step = reading.next(await file.read(step.value.start, step.value.end, signal))
  return step.value
}

function hasSound(mp4: Uint8Array): boolean {
  const tracks = childrenOf(readBoxes(mp4) ?? [], 'moov').filter(({ type }) => type === 'trak')
  return tracks.some(({ body }) => {
    const handler = onlyBox(childrenOf(readBoxes(body) ?? [], 'mdia'), 'hdlr')
    return handler !== undefined && latin1(handler.body, 8, 12) === 'soun'
  })
}
