import { createHash } from 'node:crypto'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { TrialFolder } from '../trial/trialFolder'

const HASH_AT_ONCE = 4 * 1024 * 1024

/** Size and SHA-256 of a file, which is read in parts. @throws the reason of the signal */
export async function hashOf(
  source: ByteSource,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  for (let at = 0; at < source.size; at += HASH_AT_ONCE) {
    signal.throwIfAborted()
    hash.update(await source.read(at, Math.min(source.size, at + HASH_AT_ONCE)))
  }
  return { bytes: source.size, sha256: hash.digest('hex') }
}

/** Undefined when there is no such file. */
export async function hashOfFile(folder: TrialFolder, name: string): Promise<string | undefined> {
  const bytes = await folder.read(name)
  return bytes && sha256(bytes)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
