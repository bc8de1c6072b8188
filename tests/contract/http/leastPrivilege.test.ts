import type { MediaDependencies } from '@lantern-room/media'
import { type DirectHost, startDirectHost } from '#support/hosts/directHost'
import { assert, suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { laterStore } from '#support/store/laterStore'
import { clipsOfSuite } from './contract'
import { grantedStore, roleGrants } from './grantedStore'
import {
  convert,
  jsonOf,
  type Prepared,
  postJson,
  prepare,
  prepared,
  prepareUpload,
  refused,
  uploaded,
} from './requests'

// Each endpoint as a function of its own on one bucket, with what its role in the stack allows and nothing else.

const test = suite('roles of the functions', { timeoutMs: 60_000 })
const grants = roleGrants()
const clips = await clipsOfSuite()
let whole: DirectHost
let nowMs = Date.now()
const functions = new Map<string, DirectHost>()

test.before(async () => {
  whole = await startDirectHost()
  for (const [name, granted] of grants) {
    const machine = ({ clock }: MediaDependencies) => ({
      store: laterStore(grantedStore(whole.store, granted), () => nowMs - Date.now()),
      clock: { ...clock, unixTime: () => nowMs },
    })
    functions.set(name, await startDirectHost({ SESSION_TTL_SECONDS: '3600' }, { machine }))
  }
})
test.after(async () => {
  await Promise.all([whole, ...functions.values()].map((host) => host?.stop()))
})

test('a session goes its whole way', async () => {
  assert.is((await on('health').send('/health')).status, 200)
  assert.not.match(await (await on('document').send('/')).text(), /cannot work/)
  const session = await prepared(on('prepare'), clips.gif)
  await isServed(session)
  assert.is((await postJson(on('cleanup'), '/cleanup', named(session))).status, 200)
  for (const ask of readers) await refused(ask(session), 404)
  assert.equal(await keysIn(whole.store, 'sessions/'), [])
})

test('so does an upload, which leaves nothing behind', async () => {
  const id = await uploaded(on('upload'), clips.gif, 'image/gif')
  const answer = await prepareUpload(on('prepare'), id)
  assert.is(answer.status, 200)
  const session = await jsonOf<Prepared>(answer)
  await isServed(session)
  assert.equal(await jsonOf<Prepared>(await prepareUpload(on('prepare'), id)), session)
  assert.equal(await keysIn(whole.store, 'uploads/'), [`uploads/${id}.status`])
  const followed = await jsonOf(await on('upload').send(`/uploads/${id}`))
  assert.is(followed.state, 'done')
})

test('a function may take over an upload whose function was ended, and settles what that was about to store', async () => {
  const id = await uploaded(on('upload'), clips.gif, 'image/gif')
  const mark = new TextEncoder().encode('f'.repeat(32))
  await whole.store.createBytes(`uploads/${id}.claim`, mark, { contentType: 'text/plain' })
  await refused(prepareUpload(on('prepare'), id), 409, /try again in half a minute/)
  nowMs += 60_000
  const followed = await jsonOf(await on('upload').send(`/uploads/${id}`))
  assert.equal([followed.state, (followed.error as { code: string }).code], ['failed', 'unavailable'])
  await whole.store.putBytes(`sessions/${'f'.repeat(32)}/preview.mp4`, mark, { contentType: 'video/mp4' })
  const answer = await prepareUpload(on('prepare'), id)
  assert.is(answer.status, 200, await answer.clone().text())
  assert.equal(await keysIn(whole.store, `sessions/${'f'.repeat(32)}/`), [
    `sessions/${'f'.repeat(32)}/session.json`,
  ])
  assert.is((await whole.store.head(`sessions/${'f'.repeat(32)}/session.json`))?.size, 0)
  await isServed((await answer.json()) as Prepared)
})

test('what an ended function had stored goes with its upload that is cancelled', async () => {
  const id = await uploaded(on('upload'), clips.gif, 'image/gif')
  const sessionId = 'e'.repeat(32)
  const mark = new TextEncoder().encode(sessionId)
  await whole.store.createBytes(`uploads/${id}.claim`, mark, { contentType: 'text/plain' })
  for (const name of ['preview.mp4', 'original', 'expires-1900000000'])
    await whole.store.putBytes(`sessions/${sessionId}/${name}`, mark, { contentType: 'video/mp4' })
  nowMs += 60_000
  assert.is((await on('upload').send(`/uploads/${id}`, { method: 'DELETE' })).status, 200)
  assert.equal(await keysIn(whole.store, `sessions/${sessionId}/`), [`sessions/${sessionId}/session.json`])
  assert.equal(await keysIn(whole.store, `uploads/${id}`), [`uploads/${id}.status`])
})

test('a photo in one go needs no right to sessions, and an upload of another function can be cancelled', async () => {
  const fields = { range_start: '0', range_end: '0.3', cover_time: '0', speed: '1' }
  const id = await uploaded(on('upload'), clips.gif, 'image/gif')
  const photo = await postJson(on('motionPhoto'), '/motion-photo', { upload_id: id, ...fields })
  assert.is(photo.status, 200, await photo.clone().text())
  assert.is(photo.headers.get('Content-Type'), 'image/jpeg')
  const other = await uploaded(on('upload'), clips.gif, 'image/gif')
  assert.is((await on('upload').send(`/uploads/${other}`, { method: 'DELETE' })).status, 200)
  await refused(postJson(on('motionPhoto'), '/motion-photo', { upload_id: other, ...fields }), 404)
})

test('what a client uses counts for all functions together, and a callback that was not taken goes on in the sweep', async () => {
  const posted: string[] = []
  const answers = [503, 503, 503, 204]
  const post: MediaDependencies['post'] = async (_url, { headers }) => {
    posted.push(headers['webhook-id'] ?? '')
    return answers.shift() ?? 500
  }
  const settings = {
    SESSION_TTL_SECONDS: '3600',
    MEDIA_SERVICE_TOKENS: 'app:token-of-the-app',
    CLIENT_QUOTAS: 'app:photos=2:bytes=100000000',
    CALLBACK_SECRET: `app:whsec_${'A'.repeat(43)}=`,
    CALLBACK_ORIGINS: 'app:https://app.example.com',
  }
  const sent: string[] = []
  const send = async (text: string) => void sent.push(text)
  const start = (name: string) =>
    startDirectHost(settings, {
      machine: ({ clock }) => ({
        post,
        queue: { send, receive: async () => undefined },
        store: grantedStore(whole.store, grants.get(name) ?? new Set()),
        // The pauses between the first tries.
        clock: { ...clock, unixTime: () => nowMs, after: (ms, act) => clock.after(ms / 20, act) },
      }),
    })
  const names = ['upload', 'prepare', 'convert', 'motionPhoto', 'sweep'] as const
  const started = await Promise.all(names.map(start))
  const [upload, prepareIt, convertIt, photo, sweep] = started as [
    DirectHost,
    DirectHost,
    DirectHost,
    DirectHost,
    DirectHost,
  ]
  const init = { headers: { Authorization: 'Bearer token-of-the-app' } }
  try {
    const wish = { size: clips.gif.length, content_type: 'image/gif' }
    const { upload_id } = await jsonOf<{ upload_id: string }>(await postJson(upload, '/uploads', wish, init))
    const file = {
      method: 'PUT',
      body: new Blob([new Uint8Array(clips.gif)]),
      headers: { 'Content-Type': 'image/gif' },
    }
    assert.is((await upload.send(`/uploads/${upload_id}`, file)).status, 200)
    const callback_url = 'https://app.example.com/done'
    const answer = await postJson(prepareIt, '/prepare', { upload_id, callback_url }, init)
    const { session_id } = await jsonOf<Prepared>(answer)
    const follow = async () => (await jsonOf(await upload.send(`/uploads/${upload_id}`))).callback
    const next_at = Math.floor(nowMs / 1000) + 30
    assert.equal(await follow(), { state: 'pending', tries: 3, next_at })

    const fields = { range_start: '0', range_end: '0.3', cover_time: '0', speed: '1' }
    assert.is((await convert(convertIt, { session_id, ...fields }, init)).status, 200)
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(clips.gif)]), 'clip.gif')
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const made = await photo.send('/motion-photo', { ...init, method: 'POST', body: form })
    assert.is(made.status, 200, await made.clone().text())
    await refused(convert(convertIt, { session_id, ...fields }, init), 429, /2 of 2 photos/)

    nowMs += 31_000
    await sweep.deliverCallbacks?.(new AbortController().signal)
    assert.equal(await follow(), { state: 'delivered', tries: 4 })
    assert.equal([posted.length, new Set(posted).size], [4, 1])

    // What waits behind a queue is noted for the turns of clients, and forgotten when nothing has begun it in its time.
    const later = await jsonOf<{ upload_id: string }>(await postJson(upload, '/uploads', wish, init))
    assert.is((await upload.send(`/uploads/${later.upload_id}`, file)).status, 200)
    const headers = { ...init.headers, Prefer: 'respond-async' }
    assert.is(
      (await postJson(prepareIt, '/prepare', { upload_id: later.upload_id }, { headers })).status,
      202,
    )
    assert.equal([sent.length, (await keysIn(whole.store, 'waiting/')).length], [1, 1])
    nowMs = Date.now() + 25 * 3_600_000
    await on('sweep').sweep()
    assert.equal(await keysIn(whole.store, 'waiting/'), [])
    nowMs = Date.now()
  } finally {
    await Promise.all(started.map((host) => host.stop()))
  }
})

test('what is refused or unknown is answered as everywhere', async () => {
  await refused(prepare(on('prepare'), new Uint8Array(5000).fill(65)), 400)
  await refused(prepareUpload(on('prepare'), '0'.repeat(32)), 404)
  const nobody = { session_id: '0'.repeat(32) }
  for (const ask of [...readers, cleanup]) await refused(ask(nobody), 404)
})

test('a session is gone an instant after its time, also for functions that may not remove it', async () => {
  const session = await prepared(on('prepare'), clips.gif)
  nowMs = session.expires_at * 1000 + 1
  for (const ask of readers) await refused(ask(session), 404)
  assert.ok((await keysIn(whole.store, 'sessions/')).length > 0)
  await uploaded(on('upload'), clips.gif, 'image/gif')
  // The objects' own times are the disk's.
  nowMs = Date.now() + 25 * 3_600_000
  const swept = await on('sweep').sweep()
  assert.ok(swept && swept.sessions >= 1 && swept.uploads >= 1, JSON.stringify(swept))
  assert.equal([...(await keysIn(whole.store, 'sessions/')), ...(await keysIn(whole.store, 'uploads/'))], [])
})

type Named = { readonly session_id: string }

const named = ({ session_id }: Named) => ({ session_id })
const cleanup = (session: Named) => postJson(on('cleanup'), '/cleanup', named(session))
const readers: readonly ((session: Named) => Promise<Response>)[] = [
  ({ session_id }) => on('session').send(`/sessions/${session_id}`),
  ({ session_id }) => on('preview').send(`/preview/${session_id}.mp4`),
  ({ session_id }) => postJson(on('thumbnail'), '/thumbnail', { session_id, timestamp: 0 }),
  ({ session_id }) => on('session').send(`/sessions/${session_id}/strip.jpg`),
  ({ session_id }) => on('thumbnail').send(`/sessions/${session_id}/frames/1.jpg`),
  ({ session_id }) =>
    convert(on('convert'), { session_id, range_start: '0', range_end: '0.3', cover_time: '0', speed: '1' }),
]

function on(name: string): DirectHost {
  const host = functions.get(name)
  if (!host) throw new Error(`The stack has no function ${name}.`)
  return host
}

async function isServed(session: Named): Promise<void> {
  for (const ask of readers) {
    const response = await ask(session)
    assert.is(response.status, 200, await response.clone().text().catch(String))
    await response.arrayBuffer()
  }
}

test.run()
