import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { startNodeHost } from '#support/hosts/hosts'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { clockAhead } from '#support/process/wrongClock'
import { assert, suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { sharedStoreCases } from './sharedStoreCases'

const folders: string[] = []

sharedStoreCases('a folder', async () => {
  const DATA_DIR = await makeTempFolder('lantern-shared')
  folders.push(DATA_DIR)
  const store = createDiskObjectStore({ folder: join(DATA_DIR, 'store') })
  return { settings: { DATA_DIR }, keys: () => keysIn(store) }
})

const machines = suite('a folder that machines share', { timeoutMs: 120_000 })
machines('a host whose clock is a day ahead leaves alone what another machine is writing', async () => {
  const DATA_DIR = await makeTempFolder('lantern-shared')
  folders.push(DATA_DIR)
  // As a process of another machine names it, whose end cannot be seen from here.
  const written = [
    join(DATA_DIR, 'store/@tmp/4194999-77-00000000.half'),
    join(DATA_DIR, 'work/4194999-77-00000000.x'),
  ]
  for (const path of written) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'x')
  }
  const host = await startNodeHost({ DATA_DIR, ...clockAhead(25 * 3_600_000) })
  assert.is((await host.send('/health')).status, 200)
  await host.stop()
  for (const path of written) assert.is(await readFile(path, 'utf8'), 'x')
})

const last = suite('after hosts that share a folder')
last('their folders are removed', () => removeFolders(...folders))

machines.run()
last.run()
