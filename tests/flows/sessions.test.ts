import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDiskObjectStore } from '#core/adapters/objectStore/diskObjectStore'
import { ServiceError } from '#core/errors'
import type { ObjectStore } from '#core/media/objectStore/ports'
import { Sessions } from '#core/media/sessions/sessions'
import type { Original } from '#core/media/sessions/storeSession'
import { type Preview, UNKNOWN_CAPTURE } from '#core/media/traits'
import { PREVIEW } from '#support/media/prepared'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('sessions whose making is disturbed')

const folder = await folderOfSuite(test, 'lantern-sessions')

for (let aborting = 1; aborting <= 2; aborting += 1) {
  test(`a client that leaves at store call ${aborting} leaves nothing behind`, async () => {
    const root = await mkdtemp(join(folder, 'store-'))
    const disk = createDiskObjectStore({ folder: root })
    const leaving = new AbortController()
    const store = onCall(disk, aborting, () => leaving.abort(new ServiceError('unavailable', 'gone')))
    const sessions = new Sessions({ store, ttlSeconds: 3600, now: Date.now })
    const outcome = await sessions.create(await preview(root), await original(root), leaving.signal).then(
      () => 'created',
      (error: ServiceError) => error.detail,
    )
    assert.is(outcome, 'gone')
    assert.equal(await readdir(join(root, 'sessions')).catch(() => []), [])
  })
}

function onCall(store: ObjectStore, n: number, act: () => void): ObjectStore {
  let calls = 0
  return wrapped(store, (original) => async (...args) => {
    const result = await original(...args)
    calls += 1
    if (calls === n) act()
    return result
  })
}

type Wrap = <A extends unknown[], R>(act: (...args: A) => Promise<R>) => (...args: A) => Promise<R>

function wrapped(store: ObjectStore, wrap: Wrap): ObjectStore {
  return {
    ...store,
    putFile: wrap(store.putFile),
    putBytes: wrap(store.putBytes),
    createBytes: wrap(store.createBytes),
    delete: wrap(store.delete),
  }
}

async function preview(root: string): Promise<Preview> {
  const path = join(root, 'preview')
  await writeFile(path, 'preview')
  const original = { ...PREVIEW.original, size: { width: 2, height: 2 } }
  return {
    path,
    frames: 30,
    width: 2,
    height: 2,
    hasAudio: false,
    sourceSeconds: 1,
    capture: UNKNOWN_CAPTURE,
    original,
  }
}

async function original(root: string): Promise<Original> {
  const path = join(root, 'original')
  await writeFile(path, 'original')
  return { path }
}

test.run()
