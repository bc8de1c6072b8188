import { ZSTDDecoder } from 'zstddec'

/** Resolves when `decodeZstd` decodes. */
export function zstdReady(): Promise<void> {
  return new ZSTDDecoder().init()
}
