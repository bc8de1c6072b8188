import { createWorkFolders } from '#core/adapters/files/workFolders'
import { receiveForm } from '#core/adapters/forms/receiveForm'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { entriesBelow, openFilesBelow } from './leaks'
import { receiveFormSuite } from './receiveFormSuite'

receiveFormSuite('busboy', async () => {
  const place = await makeTempFolder('form')
  const folders = createWorkFolders({ folder: place })
  return {
    receiveForm,
    openFolder: () => folders.open(),
    leaks: async () => [...openFilesBelow(place), ...(await entriesBelow(place))],
    close: () => removeFolders(place),
  }
})
