import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskObjectStore } from '#core/adapters/objectStore/diskObjectStore'
import { entriesBelow, openFilesBelow } from './leaks'
import { objectStoreSuite } from './objectStoreSuite'

objectStoreSuite('disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  return {
    store: createDiskObjectStore({ folder }),
    sibling: createDiskObjectStore({ folder }),
    leaks: async () => [
      ...openFilesBelow(folder),
      ...(await entriesBelow(join(folder, '@tmp'))).map((path) => `temporary: ${path}`),
    ],
    close: () => rm(folder, { recursive: true, force: true }),
  }
})
