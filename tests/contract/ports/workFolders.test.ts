import { createWorkFolders } from '#core/adapters/files/workFolders'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { entriesBelow, openFilesBelow } from './leaks'
import { workFoldersSuite } from './workFoldersSuite'

workFoldersSuite('disk', async () => {
  const folder = await makeTempFolder('work')
  const folders = createWorkFolders({ folder })
  return {
    folders,
    async leaks() {
      // What is looked through at the start may still be open after a short test.
      await (await folders.open()).dispose()
      return [...openFilesBelow(folder), ...(await entriesBelow(folder))]
    },
    close: () => removeFolders(folder),
  }
})
