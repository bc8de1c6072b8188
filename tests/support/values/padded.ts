/** The film, and behind it a box that players pass over, so that all has `size` bytes. */
export function padded(film: Uint8Array, size: number, content?: Uint8Array): Uint8Array {
  const file = Buffer.alloc(size)
  file.set(film)
  file.writeUInt32BE(size - film.length, film.length)
  file.write('free', film.length + 4, 'latin1')
  if (content) file.set(content, film.length + 8)
  return new Uint8Array(file)
}
