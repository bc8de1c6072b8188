/** Has the browser collect garbage soon: it does not count coded pictures. A buffer that is never touched counts, and takes no memory. */
export function collect(): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(128 * 1024 * 1024)
  } catch {
    // A small device may have no room for the promise of it.
    return undefined
  }
}

/** Frees what a buffer has, which is not used any more. An older browser does it when it collects garbage. */
export function letGo(buffer: (ArrayBufferLike & { transfer?(bytes: number): unknown }) | undefined): void {
  if (buffer && buffer.byteLength > 0) buffer.transfer?.(0)
}
