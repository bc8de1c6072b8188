import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { entriesBelow, openFilesBelow } from './leaks'
import { workFoldersSuite } from './workFoldersSuite'

workFoldersSuite('disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'work-'))
  return {
    folders: createWorkFolders({ folder }),
    leaks: async () => [...openFilesBelow(folder), ...(await entriesBelow(folder))],
    close: () => rm(folder, { recursive: true, force: true }),
  }
})
