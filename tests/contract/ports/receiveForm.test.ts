import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { receiveForm } from '#core/adapters/forms/receiveForm'
import { entriesBelow, openFilesBelow } from './leaks'
import { receiveFormSuite } from './receiveFormSuite'

receiveFormSuite('busboy', async () => {
  const place = await mkdtemp(join(tmpdir(), 'form-'))
  const folders = createWorkFolders({ folder: place })
  return {
    receiveForm,
    openFolder: () => folders.open(),
    leaks: async () => [...openFilesBelow(place), ...(await entriesBelow(place))],
    close: () => rm(place, { recursive: true, force: true }),
  }
})
