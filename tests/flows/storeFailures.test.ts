import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { ObjectStore } from '@lantern-room/media/ports'
import { type DirectHost, startDirectHost } from '#support/hosts/directHost'
import { mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { createMemoryStore } from '#support/store/memoryStore'
import { hasResolved } from '#support/values/hasResolved'
import { type Clips, makeClips } from '../contract/http/contract'
import {
  allowed,
  bytesOf,
  convert,
  formOf,
  jsonOf,
  type Prepared,
  postJson,
  prepareUpload,
  put,
} from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'
import { failingStore, type StoreFailure } from './failingStore'
import { replayedFfmpeg } from './replayedFfmpeg'

// A service that is killed, or whose store fails, at each of its calls of the store. Whoever looks afterwards, with a
// service that works, sees a session whole or not at all.

type TestHost = Omit<DirectHost, 'store'> & { readonly store: ObjectStore }

const test = suite('a store that fails', { timeoutMs: 240_000 })
const DAYS = 3 * 86_400_000
const SURELY_OVER = 100

const media = await mediaFolderOfSuite()
let clips: Clips
let ffmpeg: ReturnType<typeof replayedFfmpeg> | undefined

test.before(async () => {
  clips = await makeClips(media)
})

type Story = {
  /** Done while everything works. */
  readonly before?: (host: TestHost) => Promise<void>
  /** Stops at the first answer that is none of success. @returns the statuses up to there */
  readonly steps: (host: TestHost) => readonly (() => Promise<Response>)[]
}

const stories: Readonly<Record<string, Story>> = {
  'a film is prepared, converted and cleaned up': {
    steps: (host) => {
      let id = ''
      return [
        async () => {
          const response = await host.send('/prepare', { method: 'POST', body: formOf(clips.gif) })
          id = await sessionIn(response)
          return response
        },
        () => convert(host, fieldsOf(id)),
        () => postJson(host, '/thumbnail', { session_id: id, timestamp: 0 }),
        () => postJson(host, '/cleanup', { session_id: id }),
      ]
    },
  },
  'an upload is allowed, sent and prepared': {
    steps: (host) => {
      let upload = { upload_id: '', url: '', headers: {} }
      return [
        async () => {
          const order = { size: clips.gif.length, content_type: 'image/gif' }
          const response = await postJson(host, '/uploads', order)
          if (response.ok) upload = await jsonOf(response.clone())
          return response
        },
        () => put(host, upload, clips.gif),
        () => prepareUpload(host, upload.upload_id),
      ]
    },
  },
  'an upload that is no film is refused': {
    steps: (host) => {
      let upload = { upload_id: '', url: '', headers: {} }
      return [
        async () => {
          const response = await postJson(host, '/uploads', { size: 5000, content_type: 'video/mp4' })
          if (response.ok) upload = await jsonOf(response.clone())
          return response
        },
        () => put(host, upload, new Uint8Array(5000)),
        () => prepareUpload(host, upload.upload_id),
      ]
    },
  },
  'the sweep removes what has expired, beside what has not': {
    before: async (host) => {
      await host.send('/prepare', { method: 'POST', body: formOf(clips.gif) })
      await allowed(host, 10)
      await put(host, await allowed(host, clips.gif.length), clips.gif)
      const contentType = 'video/mp4'
      await host.store.putBytes(`sessions/${'f'.repeat(32)}/original`, clips.gif, { contentType })
      await host.store.putBytes(`uploads/${'e'.repeat(32)}`, clips.gif, { contentType })
      host.wait(DAYS)
      await host.send('/prepare', { method: 'POST', body: formOf(clips.gif) })
    },
    // The next sweep is that of the host that works.
    steps: (host) => [async () => Response.json(await host.sweep().catch(() => ({})), { status: 200 })],
  },
}

for (const [name, story] of Object.entries(stories))
  for (const how of ['is killed', 'breaks', 'fails once'] as const)
    test(`${name}: ${how === 'is killed' ? 'the service' : 'the store'} ${how} at each call of the store`, async () => {
      let calls = 0
      while (calls < SURELY_OVER && (await went(story, { at: calls + 1, when: 'before', how }))) {
        calls += 1
        // To be killed after a call is to be killed before the next one.
        if (how !== 'is killed') await went(story, { at: calls, when: 'after', how })
      }
      console.log(`${name}: ${calls} calls of the store`)
      assert.ok(calls > 3, `${calls} calls`)
    })

/** Tells a story to its end or its failure, and looks at what is left. @returns whether it came to the failure */
async function went(story: Story, failure: StoreFailure): Promise<boolean> {
  const store = storeInMemory()
  const healthy = await start(store)
  try {
    await story.before?.(healthy)
    const failing = failingStore(store, failure)
    const struck = await start(failing.store)
    if (story.before) struck.wait(DAYS)
    const said = { statuses: [] as number[], session: '', upload: '' }
    const watched = failing.happened
    const hasHappened = hasResolved(watched)
    const telling = tell(story.steps(struck), said)
    await (failure.how === 'is killed' ? Promise.race([telling, watched]) : telling)
    await Promise.resolve()
    const context = `${failure.how} ${failure.when} call ${failure.at}: ${said.statuses.join(', ')}`
    if (failure.how !== 'is killed')
      assert.equal(await entriesBelow(`${struck.dataDir}/work`), [], `${context}: work folders`)
    await judge(healthy, said, failure).catch((error: Error) => {
      throw new Error(`${context}: ${error.message}`, { cause: error })
    })
    await struck.stop()
    return hasHappened()
  } finally {
    await healthy.stop()
  }
}

type Said = { readonly statuses: number[]; session: string; upload: string }

async function tell(steps: readonly (() => Promise<Response>)[], said: Said): Promise<void> {
  for (const step of steps) {
    const response = await step()
    const text = await response.clone().text()
    await response.body?.cancel()
    said.statuses.push(response.status)
    if (!response.ok) return
    const { session_id, upload_id } = text.startsWith('{') ? JSON.parse(text) : {}
    said.session = session_id ?? said.session
    said.upload = upload_id ?? said.upload
  }
}

async function judge(host: TestHost, said: Said, { how }: StoreFailure): Promise<void> {
  const whole = await wholeSessions(host)
  const isCleaned =
    said.statuses.length > 3 && said.statuses.every((status) => status === 200 || status === 201)
  if (said.session !== '' && !isCleaned && how !== 'is killed' && said.statuses.at(-1) !== 503)
    assert.ok(whole.includes(said.session), 'a session that was promised is not there')

  if (said.upload !== '') {
    const again = await prepareUpload(host, said.upload)
    const { status } = again
    assert.ok([200, 400, 404, 409].includes(status), `prepared again: ${status} ${await again.text()}`)
    // Refused only for a moment, so that the upload must not be lost.
    if (how === 'fails once' && said.statuses.length === 3 && said.statuses[2] === 503)
      assert.ok(status === 200 || status === 400, `refused for good: ${status}`)
    const now = await wholeSessions(host)
    assert.ok(now.length <= 1, `${now.length} sessions of one upload`)
    // Once more it answers with the session that there is, if at all, and makes no other.
    const once = await prepareUpload(host, said.upload)
    if (once.status === 200) assert.equal([JSON.parse(await once.text()).session_id], now)
    assert.equal(await wholeSessions(host), now, 'used twice')
  }

  host.wait(DAYS)
  await host.sweep()
  assert.equal(await keysIn(host.store), [], 'left after the sweep')
}

/** Every session of which there is anything: each must be there in all of its ways, or in none. */
async function wholeSessions(host: TestHost): Promise<string[]> {
  const ids = new Set((await keysIn(host.store)).flatMap((key) => /^sessions\/(\w+)\//.exec(key)?.[1] ?? []))
  const whole: string[] = []
  for (const id of ids) {
    const preview = await host.send(`/preview/${id}.mp4`)
    const bytes = await bytesOf(preview)
    const statuses = [
      (await host.send(`/sessions/${id}`)).status,
      preview.status,
      (await convert(host, fieldsOf(id))).status,
      (await postJson(host, '/thumbnail', { session_id: id, timestamp: 0 })).status,
    ]
    assert.is(new Set(statuses).size, 1, `half there: ${statuses}`)
    assert.ok(statuses[0] === 200 || statuses[0] === 404, String(statuses))
    if (statuses[0] !== 200) continue
    assert.is(bytes.length, Number(preview.headers.get('Content-Length')))
    whole.push(id)
  }
  return whole
}

async function start(store: ObjectStore): Promise<TestHost> {
  const host = await startDirectHost(
    {},
    {
      machine: (machine) => {
        ffmpeg ??= replayedFfmpeg(machine.ffmpeg)
        return { ffmpeg, store }
      },
    },
  )
  return { ...host, store }
}

/** What a store is to a service: which one it is shows only in how much there is to do. Its local files are real ones. */
function storeInMemory(): ObjectStore {
  const memory = createMemoryStore(Date.now)
  return {
    ...memory,
    async putFile(key, path, options) {
      await memory.putBytes(key, await readFile(path), options)
      if (options.consume) await rm(path)
    },
    async checkOut(key) {
      const bytes = await memory.get(key)
      if (bytes === undefined) return undefined
      const path = media.path(randomUUID())
      await writeFile(path, bytes)
      return { path, release: () => rm(path) }
    },
  }
}

async function sessionIn(response: Response): Promise<string> {
  return response.ok ? (await jsonOf<Prepared>(response.clone())).session_id : ''
}

function fieldsOf(session_id: string): Record<string, string> {
  return { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
}

test.run()
