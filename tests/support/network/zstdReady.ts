import { ZSTDDecoder } from 'zstddec'

/** Resolves when `decodeZstd` decodes, also where Node has no decoder of its own. */
export function zstdReady(): Promise<void> {
  return new ZSTDDecoder().init()
}
