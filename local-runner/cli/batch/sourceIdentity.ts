import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { SourceMark } from '@lantern-room/formats/files'
import type { ByteSource } from '@lantern-room/mp4/source'
import type { UserFiles } from '../compose'

/** Of a large file so many pieces are read, at equal distances, the first and the last among them. */
const PIECES = 64
const PIECE_BYTES = 128 * 1024

/**
 * Which files these are, by their content: a file of up to 8 MiB by all of it, a larger one by its size and 64 pieces. No two
 * recordings agree in those (docs/decisions.md, D176).
 * @param paths of a video, and of the photo that belongs to it
 * @throws ServiceError when one cannot be read
 */
export async function identityOf(
  paths: readonly string[],
  { openPhoto }: Pick<UserFiles, 'openPhoto'>,
): Promise<SourceMark> {
  const content = createHash('sha256')
  for (const path of paths) content.update(await digestOf(await openPhoto(path)))
  const all = content.digest()
  const name = createHash('sha256')
    .update(all)
    .update(basename(paths[0] ?? ''))
  return { content: all.toString('hex', 0, 16), name: name.digest().toString('hex', 0, 4) }
}

/** Whether two files have the same bytes, as far as `identityOf` tells. */
export async function areSame(one: ByteSource, other: ByteSource): Promise<boolean> {
  if (one.size !== other.size) return false
  return (await digestOf(one)).equals(await digestOf(other))
}

async function digestOf(source: ByteSource): Promise<Buffer> {
  const { size } = source
  const hash = createHash('sha256').update(`${size} `)
  if (size <= PIECES * PIECE_BYTES) return hash.update(await source.read(0, size)).digest()
  const step = (size - PIECE_BYTES) / (PIECES - 1)
  for (let piece = 0; piece < PIECES; piece++) {
    const start = Math.floor(piece * step)
    hash.update(await source.read(start, start + PIECE_BYTES))
  }
  return hash.digest()
}
