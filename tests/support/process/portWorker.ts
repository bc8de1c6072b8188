// A process of its own for the tests of adapters: `portWorker.mjs <role> <arguments…>`. It says what it has done in
// lines on standard output, and most roles then stay until they are killed.
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Worker, workerData } from 'node:worker_threads'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'

const contentType = 'application/octet-stream'
const say = (...words: unknown[]) => writeFileSync(1, `${words.join(' ')}\n`)
const stay = () => new Promise<never>(() => setInterval(() => undefined, 1 << 30))

const roles: Readonly<Record<string, (...args: string[]) => Promise<unknown>>> = {
  /** Opens a work folder with a file in it. */
  async work(folder = '') {
    const opened = await createWorkFolders({ folder }).open()
    say('file', await opened.write('upload', new Uint8Array([1, 2, 3])))
    await stay()
  },
  /** Opens and disposes of work folders in several threads of one process. */
  async workThreads(folder = '') {
    const threads = [1, 2, 3].map(
      (n) => new Worker(fileURLToPath(import.meta.url), { workerData: ['workRounds', folder, String(n)] }),
    )
    await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve))))
    say('all done')
  },
  async workRounds(folder = '', n = '') {
    for (let round = 0; round < 40; round++) {
      const folders = createWorkFolders({ folder })
      const opened = await folders.open()
      await opened.write('file', new TextEncoder().encode(n))
      const content = new TextDecoder().decode(await opened.read('file'))
      if (content !== n) say('wrong content')
      await opened.dispose()
    }
    say('done', n)
  },
  /** Leaves a half-written object behind: a temporary file that is open. */
  async half(folder = '') {
    const file = await createDiskObjectStore({ folder }).checkOut('a')
    const handle = await open(`${file?.path}x`, 'wx')
    await handle.write('half')
    say('file', file?.path)
    await stay()
  },
  /** Rewrites and deletes shared objects, and creates keys of which each may be won once. */
  async race(folder = '', rounds = '0') {
    const store = createDiskObjectStore({ folder })
    const wins: number[] = []
    for (let round = 0; round < Number(rounds); round++) {
      if (await store.createBytes(`won/${round}`, new Uint8Array(50).fill(1), { contentType }))
        wins.push(round)
      await store.putBytes('shared/deep/object', new Uint8Array(3000 + round).fill(7), { contentType })
      const seen = await store.get('shared/deep/object')
      if (seen !== undefined && (seen.length < 3000 || seen.some((byte) => byte !== 7))) say('torn object')
      await store.delete(['shared/deep/object'])
      // One that is new removes what is left of others.
      await createDiskObjectStore({ folder }).check()
    }
    say('wins', ...wins)
  },
}

const [role = '', ...args] = Array.isArray(workerData) ? workerData.map(String) : process.argv.slice(2)
await roles[role]?.(...args)
