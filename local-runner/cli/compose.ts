import { join } from 'node:path'
import { openFileSource } from '#core/adapters/files/fileSource'
import { modificationTime, readInputHead, saveStandardInput } from '#core/adapters/files/inputFile'
import { listFiles } from '#core/adapters/files/listFiles'
import {
  checkOutput,
  makeOutputFolder,
  writeOutput,
  writeOutputFolder,
} from '#core/adapters/files/outputFile'
import { isBundleName, openBundle } from '#core/formats/livePhoto/bundleSource'
import type { ByteSource } from '#core/formats/source/byteSource'

/** More than is needed to tell by its first bytes what a file is. */
const HEAD_BYTES = 4096

/**
 * The files of this machine, as the command `motion-photo` reads and writes them. Bundles of Live Photos (`.pvt`), which are
 * folders, are read as if they were ZIPs. Every refusal is a `ServiceError` without the file's name.
 */
export const userFiles = {
  openPhoto: async (path: string) => (await bundleAt(path)) ?? openFileSource(path),
  async readInputHead(path: string, checkHead: (head: Uint8Array) => void) {
    const bundle = await bundleAt(path)
    if (!bundle) return readInputHead(path, checkHead)
    checkHead(await bundle.read(0, Math.min(HEAD_BYTES, bundle.size)))
  },
  modificationTime,
  saveStandardInput,
  checkOutput,
  writeOutput,
  writeOutputFolder,
  makeFolder: makeOutputFolder,
  listFiles,
}

export type UserFiles = typeof userFiles

async function bundleAt(path: string): Promise<ByteSource | undefined> {
  const files = isBundleName(path) ? await listFiles(path).catch(() => undefined) : undefined
  return files && openBundle(files, (name) => openFileSource(join(path, name)))
}
