import { createFile, type ISOFile, type Movie, MP4BoxBuffer } from 'mp4box'
import * as assert from 'uvu/assert'

/** A movie as mp4box reads it. @throws when it finds no index, or something to complain of */
export function readWithMp4Box(bytes: Uint8Array): { movie: Movie; file: ISOFile } {
  const file = createFile(true)
  let movie: Movie | undefined
  file.onError = (module, message) => assert.unreachable(`mp4box: ${module}: ${message}`)
  file.onReady = (info) => {
    movie = info
  }
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(bytes).buffer, 0))
  file.flush()
  if (!movie) throw new Error('mp4box found no index')
  return { movie, file }
}
