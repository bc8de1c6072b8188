import { join } from 'node:path'
import { isBundleName, openBundle } from '#core/formats/livePhoto/bundleSource'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { UserFiles } from './motionPhotoDependencies'

type FileInputs = Pick<UserFiles, 'readInputHead' | 'listFiles'> & {
  /** A file that is read by range. */
  readonly openFile: (path: string) => Promise<ByteSource>
}

/** More than is needed to tell by its first bytes what a file is. */
const HEAD_BYTES = 4096

/** Reads files, and bundles of Live Photos (`.pvt`), which are folders, as if they were ZIPs. */
export function createPhotoInputs({
  readInputHead,
  listFiles,
  openFile,
}: FileInputs): Pick<UserFiles, 'readInputHead' | 'openPhoto'> {
  async function bundleAt(path: string): Promise<ByteSource | undefined> {
    const files = isBundleName(path) ? await listFiles(path).catch(() => undefined) : undefined
    return files && openBundle(files, (name) => openFile(join(path, name)))
  }
  return {
    openPhoto: async (path) => (await bundleAt(path)) ?? openFile(path),
    async readInputHead(path, checkHead) {
      const bundle = await bundleAt(path)
      if (!bundle) return readInputHead(path, checkHead)
      checkHead(await bundle.read(0, Math.min(HEAD_BYTES, bundle.size)))
    },
  }
}
