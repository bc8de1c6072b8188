import { join } from 'node:path'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { entriesBelow, openFilesBelow } from './leaks'
import { objectStoreSuite } from './objectStoreSuite'

objectStoreSuite('disk', async () => {
  const folder = await makeTempFolder('store')
  return {
    store: createDiskObjectStore({ folder }),
    sibling: createDiskObjectStore({ folder }),
    leaks: async () => [
      ...openFilesBelow(folder),
      ...(await entriesBelow(join(folder, '@tmp'))).map((path) => `temporary: ${path}`),
    ],
    close: () => removeFolders(folder),
  }
})
