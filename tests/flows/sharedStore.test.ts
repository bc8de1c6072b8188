import { join } from 'node:path'
import { createDiskObjectStore } from '#core/adapters/objectStore/diskObjectStore'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { sharedStoreCases } from './sharedStoreCases'

const folders: string[] = []

sharedStoreCases('a folder', async () => {
  const DATA_DIR = await makeTempFolder('lantern-shared')
  folders.push(DATA_DIR)
  const store = createDiskObjectStore({ folder: join(DATA_DIR, 'store') })
  return { settings: { DATA_DIR }, keys: () => keysIn(store) }
})

const last = suite('after hosts that share a folder')
last('their folders are removed', () => removeFolders(...folders))
