import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import type { ObjectStore } from '@lantern-room/media/ports'
import type { DirectHost } from '#support/hosts/directHost'
import { gatedFfmpeg } from '#support/media/gatedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { eventually, until } from '#support/values/until'
import { entriesBelow } from '../ports/leaks'
import { clipsOfSuite } from './contract'
import { atTime, hostsOf, limitedTo } from './hostsOf'
import {
  type Allowed,
  allowed,
  endlessBody,
  jsonOf,
  postJson,
  prepare,
  prepareUpload,
  put,
  refused,
  streamed,
  uploaded,
} from './requests'

// Uploads and the clock, other requests, other machines, and a store that does this or that.

const test = suite('uploads and their machine', { timeoutMs: 60_000 })
const HOUR_MS = 3_600_000
const clips = await clipsOfSuite()
const start = hostsOf(test, async (dataDir) => [
  ...(await entriesBelow(join(dataDir, 'work'))),
  ...(await entriesBelow(join(dataDir, 'store', '@tmp'))),
])

test('an upload lives for an hour, and not an instant longer', async () => {
  let now = 1_800_000_000_250
  const setClock = atTime(() => now)
  const host = await start({}, setClock)
  const [early, late] = [await allowed(host, clips.gif.length), await allowed(host, clips.gif.length)]
  assert.is(early.expires_at, 1_800_003_600)
  now = early.expires_at * 1000
  assert.is((await put(host, early, clips.gif)).status, 200)
  assert.is((await put(host, late, clips.gif)).status, 200)
  assert.is((await prepareUpload(host, early.upload_id)).status, 200)
  now += 1
  await refused(prepareUpload(host, late.upload_id), 404, /no such upload/)
  await refused(put(host, late, clips.gif), 404, /no such upload/)
})

test('what waits in a queue lives for a day, and is swept when nothing has begun it by then', async () => {
  let now = Date.now()
  const sent: string[] = []
  const send = async (message: string) => void sent.push(message)
  const queue = { send, receive: async () => undefined }
  const { machine } = atTime(() => now)
  const host = await start({}, { machine: (real) => ({ ...machine?.(real), queue }) })
  const ids = [await uploaded(host, clips.gif), await uploaded(host, clips.gif)]
  const headers = { Prefer: 'respond-async' }
  for (const upload_id of ids)
    assert.is((await postJson(host, '/prepare', { upload_id }, { headers })).status, 202)
  now += 23 * HOUR_MS
  assert.equal(await host.sweep(), { sessions: 0, uploads: 0 })
  const follow = async (id = '') => jsonOf<{ state: string }>(await host.send(`/uploads/${id}`))
  assert.is((await follow(ids[0])).state, 'received')
  const message = {
    text: sent[0] ?? '',
    count: 1,
    sentMs: 0,
    hold: async () => undefined,
    remove: async () => undefined,
  }
  assert.is(await host.takeMessage?.(message, new AbortController().signal), 'done')
  assert.is((await follow(ids[0])).state, 'done')
  now += 2 * HOUR_MS
  assert.is((await host.sweep())?.uploads, 2)
  await refused(host.send(`/uploads/${ids[1]}`), 404)
  assert.equal(await uploadsOf(host), [])
})

test('a file that is still arriving when the hour ends is not stored', async () => {
  const host = await start()
  const upload = await allowed(host, clips.gif.length)
  const { body, more, end } = slowBody(clips.gif)
  const answer = send(host, upload, body)
  await more(1000)
  host.wait(HOUR_MS + 1000)
  await end()
  await refused(answer, 404, /no such upload/)
  assert.equal(await uploadsOf(host), [`${upload.upload_id}.json`])
})

test('an upload on its way takes its room for as long as it arrives', async () => {
  const host = await start({ MAX_STORE_BYTES: '3000' })
  const slow = await allowed(host, 2000)
  const other = await allowed(host, 2000)
  const { body, more, end } = slowBody(new Uint8Array(2000))
  const answer = send(host, slow, body)
  await more(1000)
  host.wait(11_000)
  await refused(put(host, other, new Uint8Array(2000)), 503, /no space/)
  await end()
  assert.is((await answer).status, 200)
  host.wait(11_000)
  await refused(put(host, other, new Uint8Array(2000)), 503, /no space/)
  assert.is((await host.send(`/uploads/${slow.upload_id}`, { method: 'DELETE' })).status, 200)
  host.wait(11_000)
  assert.is((await put(host, other, new Uint8Array(2000))).status, 200)
})

test('the sweep removes uploads an hour after their last change, whatever is left of them', async () => {
  const host = await start()
  await allowed(host, 10)
  await uploaded(host, clips.gif)
  const options = { contentType: 'video/mp4' }
  // Sent once more to where it was allowed, after it was used; and what a killed process had claimed.
  await host.store.putBytes(`uploads/${'a'.repeat(32)}`, clips.gif, options)
  await host.store.putBytes(`uploads/${'b'.repeat(32)}.claim`, clips.gif, options)
  await host.store.putBytes('uploads/something-else', clips.gif, options)
  assert.equal(await host.sweep(), { sessions: 0, uploads: 0 })
  host.wait(HOUR_MS - 600_000)
  assert.equal(await host.sweep(), { sessions: 0, uploads: 0 })
  host.wait(601_000)
  assert.equal(await host.sweep(), { sessions: 0, uploads: 4 })
  assert.equal(await uploadsOf(host), ['something-else'])
})

test('an upload that is swept away while it is prepared becomes a session all the same', async () => {
  const { gate, machine } = gatedFfmpeg((task) => task.args.includes('libx264'))
  const host = await start({}, { machine })
  const id = await uploaded(host, clips.gif)
  const answer = prepareUpload(host, id)
  await until('it is being prepared', async () => gate.waiting() === 1)
  // The work shows every few seconds that it goes on, which may be just between.
  const sweepLater = () => {
    host.wait(HOUR_MS + 1000)
    return host.sweep()
  }
  await eventually(sweepLater, (swept) => swept?.uploads === 1)
  gate.open()
  const { session_id } = await jsonOf<{ session_id: string }>(await answer)
  const original = await host.store.get(`sessions/${session_id}/original`)
  assert.ok(Buffer.from(original ?? []).equals(clips.gif))
  assert.equal(await uploadsOf(host), [])
})

test('the bytes of an upload are written once: its file becomes the original, and no second one', async () => {
  const host = await start()
  const id = await uploaded(host, clips.talking)
  const before = await stat(join(host.dataDir, 'store/uploads', id))
  const { session_id } = await jsonOf<{ session_id: string }>(await prepareUpload(host, id))
  const after = await stat(join(host.dataDir, 'store/sessions', session_id, 'original'))
  assert.is(after.ino, before.ino)
  assert.is(after.nlink, 1)
})

test('a file is refused by its first bytes, and the rest of it is not fetched', async () => {
  const calls: string[] = []
  const host = await start({}, { machine: ({ store }) => ({ store: noting(store, calls) }) })
  const id = await uploaded(host, text('no film at all '.repeat(100_000)))
  calls.length = 0
  await refused(prepareUpload(host, id), 400, /not a video/)
  assert.ok(calls.includes('open 0-4095'), calls.join(', '))
  const copying = calls.filter((call) => /checkOut|copy|putFile/.test(call))
  assert.equal(copying, [])
})

test('whoever must wait, is ended or leaves can prepare the upload later', async () => {
  const { gate, machine } = gatedFfmpeg((task) => task.args.includes('libx264'))
  const host = await start({ MAX_CONCURRENT_JOBS: '1' }, { machine })
  const id = await uploaded(host, clips.gif)
  // One runs and eight wait.
  const waiting = Array.from({ length: 9 }, () => prepare(host, clips.gif))
  await until('the queue is full', async () => (await prepare(host, clips.still)).status === 429)
  await refused(prepareUpload(host, id), 429, /busy/)
  gate.open()
  await Promise.all(waiting)
  gate.close()

  const leaver = new AbortController()
  const left = prepareUpload(host, id, { signal: leaver.signal })
  await until('it is being prepared', async () => gate.waiting() === 1)
  await refused(prepareUpload(host, id), 409, /being prepared/)
  leaver.abort('gone')
  gate.open()
  await left.catch(() => undefined)
  await until('nothing of it is left', async () => !(await uploadsOf(host)).includes(`${id}.claim`))
  assert.is((await prepareUpload(host, id)).status, 200)
})

test('what takes too long, or fails on this side, leaves the upload as it was', async () => {
  const slow = await start({}, limitedTo({ prepareTimeoutSeconds: 0.001 }))
  const id = await uploaded(slow, clips.talking)
  await refused(prepareUpload(slow, id), 504, /too long/)
  const broken = await start({}, { machine: () => ({ store: refusing(slow.store, 'copy') }) })
  await refused(prepareUpload(broken, id), 503)
  assert.equal(await entriesBelow(join(slow.dataDir, 'store', 'sessions')), [])
  const whole = await start({}, { machine: () => ({ store: slow.store }) })
  assert.is((await prepareUpload(whole, id)).status, 200)
})

test('a claim that the store made and denies is still a claim', async () => {
  const host = await start({}, { machine: ({ store }) => ({ store: forgetful(store) }) })
  const id = await uploaded(host, clips.gif)
  assert.is((await prepareUpload(host, id)).status, 200)
})

test('where the store takes files by itself, its address and headers are given', async () => {
  const asked: unknown[] = []
  const presignPut: NonNullable<ObjectStore['presignPut']> = async (key, body) => {
    asked.push([key, body])
    return {
      url: `https://bucket.example.com/${key}?signed`,
      headers: { 'Content-Type': 'video/mp4', 'x-y': 'z' },
    }
  }
  const host = await start({}, { machine: ({ store }) => ({ store: { ...store, presignPut } }) })
  const { upload_id, url, headers } = await allowed(host, clips.gif.length)
  assert.is(url, `https://bucket.example.com/uploads/${upload_id}?signed`)
  assert.equal(headers, { 'Content-Type': 'video/mp4', 'x-y': 'z' })
  const body = { size: clips.gif.length, contentType: 'video/mp4', expiresInSeconds: 3600 }
  assert.equal(asked, [[`uploads/${upload_id}`, body]])

  // Whatever has come there is looked at again.
  await host.store.putBytes(`uploads/${upload_id}`, new Uint8Array(5), { contentType: 'video/mp4' })
  await refused(prepareUpload(host, upload_id), 400, /does not have the \d+ bytes/)
  await refused(prepareUpload(host, upload_id), 404)
  const other = await allowed(host, clips.gif.length)
  await host.store.putBytes(`uploads/${other.upload_id}`, clips.gif, { contentType: 'video/mp4' })
  assert.is((await prepareUpload(host, other.upload_id)).status, 200)
  assert.equal(await uploadsOf(host), [])
})

test('a body without an end is refused at the first byte too many, one that is too long by its word before', async () => {
  const host = await start()
  const upload = await allowed(host, 300_000)
  const { body, given, wasCancelled } = endlessBody()
  await refused(send(host, upload, body), 413, /longer than the 300000 bytes/)
  assert.ok(given() < 600_000, `${given()} bytes were taken`)
  await until('the rest is not wanted', async () => wasCancelled())

  const other = endlessBody()
  await refused(send(host, upload, other.body, { 'Content-Length': '300001' }), 413)
  assert.ok(other.given() <= 131_072, `${other.given()} bytes were taken`)
  await refused(send(host, upload, endlessBody().body, { 'Content-Length': '299999' }), 400)
  assert.equal(await uploadsOf(host), [`${upload.upload_id}.json`])
})

test('a client that leaves in the middle of its file leaves nothing, and may send it again', async () => {
  const host = await start()
  const upload = await allowed(host, clips.gif.length)
  const leaver = new AbortController()
  const { body, more, fail } = slowBody(clips.gif)
  const answer = send(host, upload, body, {}, leaver.signal)
  await more(1000)
  leaver.abort(new Error('gone'))
  await fail()
  await answer.catch(() => undefined)
  await until('no work is left', async () => (await entriesBelow(join(host.dataDir, 'work'))).length === 0, {
    ms: 2000,
  })
  assert.equal(await uploadsOf(host), [`${upload.upload_id}.json`])
  assert.is((await put(host, upload, clips.gif)).status, 200)
  assert.is((await prepareUpload(host, upload.upload_id)).status, 200)
})

test('a session whose storing took so long that a sweep may have come between is not made', async () => {
  const slow = (store: ObjectStore): ObjectStore => ({
    ...store,
    async putFile(...args) {
      await store.putFile(...args)
      if (args[0].startsWith('sessions/')) host.wait(26 * 60_000)
    },
  })
  const host: DirectHost = await start({}, { machine: ({ store }) => ({ store: slow(store) }) })
  await refused(prepare(host, clips.gif), 503, /storage took too long/)
  assert.equal(await entriesBelow(join(host.dataDir, 'store', 'sessions')), [])
})

/** Everything of uploads but how they ended, which stays until the sweep. */
async function uploadsOf({ dataDir }: DirectHost): Promise<string[]> {
  const entries = await entriesBelow(join(dataDir, 'store', 'uploads'))
  return entries.filter((name) => !name.endsWith('.status'))
}

function noting(store: ObjectStore, calls: string[]): ObjectStore {
  return {
    ...store,
    open(key, range) {
      calls.push(`open ${range?.start}-${range?.end}`)
      return store.open(key, range)
    },
    checkOut(key) {
      calls.push('checkOut')
      return store.checkOut(key)
    },
    putFile(...args) {
      calls.push('putFile')
      return store.putFile(...args)
    },
    copy(...args) {
      calls.push('copy')
      return store.copy(...args)
    },
  }
}

function refusing(store: ObjectStore, method: 'copy'): ObjectStore {
  const error = new ServiceError('unavailable', 'The storage does not answer.')
  return { ...store, [method]: () => Promise.reject(error) }
}

/** Its answers get lost and it is asked again, as clients of S3 do by themselves: then what it has just made is there already. */
function forgetful(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async createBytes(...args) {
      await store.createBytes(...args)
      return store.createBytes(...args)
    },
  }
}

function send(
  host: DirectHost,
  { upload_id, headers }: Allowed,
  body: ReadableStream<Uint8Array>,
  more: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const init = streamed('PUT', body, { ...headers, ...more })
  return host.send(`/uploads/${upload_id}`, { ...init, ...(signal && { signal }) })
}

/** A body that comes when it is told to. */
function slowBody(file: Uint8Array) {
  const pipe = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pipe.writable.getWriter()
  let sent = 0
  const write = async (until: number) => {
    await writer.write(file.slice(sent, until))
    sent = until
  }
  return {
    body: pipe.readable,
    more: write,
    async end() {
      await write(file.length)
      await writer.close()
    },
    fail: () => writer.abort(new Error('gone')).catch(() => undefined),
  }
}

test.run()
