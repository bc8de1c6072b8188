/** Has the browser collect garbage soon: it counts neither coded pictures nor blobs. A buffer that is never touched counts, and takes no memory. */
export function collect(): ArrayBuffer {
  return new ArrayBuffer(128 * 1024 * 1024)
}
