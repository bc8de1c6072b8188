import { join } from 'node:path'
import { createDeferred } from '@lantern-room/base/async'
import type { ObjectStore } from '@lantern-room/media/ports'
import type { DirectHost } from '#support/hosts/directHost'
import { sessionsIn, unfinished } from '#support/hosts/jobs'
import { gatedFfmpeg } from '#support/media/gatedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { until } from '#support/values/until'
import { entriesBelow } from '../ports/leaks'
import { clipsOfSuite } from './contract'
import { hostsOf, leavesNoChild } from './hostsOf'
import {
  eventsOf,
  formOf,
  jsonOf,
  post,
  postJson,
  prepared,
  prepareUpload,
  refused,
  streamed,
  uploaded,
} from './requests'

// Progress and cancel while a video is worked on: held at the encoder, on one machine and on two that share a store.

const test = suite('progress and cancel', { timeoutMs: 60_000 })
const asEvents = { headers: { Accept: 'text/event-stream' } }
const clips = await clipsOfSuite()
leavesNoChild(test, async () => prepared(await start(), clips.gif))
const start = hostsOf(test, unfinished)

const encoding = () => gatedFfmpeg((task) => task.args.includes('libx264'))

test('a waiting upload is told its place, and what is preparing its stage', async () => {
  const { gate, machine } = encoding()
  const host = await start({ MAX_CONCURRENT_JOBS: '1' }, { machine })
  const first = await uploaded(host, clips.gif, 'image/gif')
  const second = await uploaded(host, clips.silent)
  const running = prepareUpload(host, first)
  await until('the encoder is reached', () => gate.waiting() === 1)
  const waiting = prepareUpload(host, second, asEvents)
  await until('it has a place', async () => (await progressOf(host, second))?.place === 1)
  await until('it has a stage', async () => (await progressOf(host, first))?.stage === 'reading')
  gate.open()
  assert.is((await running).status, 200)
  const events = eventsOf(await (await waiting).text())
  assert.equal([events[0]?.data.stage, events[0]?.data.place], ['queued', 1])
  assert.type(events[0]?.data.seconds_left, 'number')
  assert.is(events.at(-1)?.event, 'result')
})

test('a preparation that runs is cancelled, as events and without', async () => {
  for (const init of [asEvents, {}]) {
    const { gate, machine } = encoding()
    const host = await start({}, { machine })
    const id = await uploaded(host, clips.talking)
    const running = prepareUpload(host, id, init)
    await until('the encoder is reached', () => gate.waiting() === 1)
    const cancelled = await host.send(`/uploads/${id}`, { method: 'DELETE' })
    assert.is(cancelled.status, 200)
    gate.open()
    const response = await running
    if (init === asEvents) {
      const { event, data } = eventsOf(await response.text()).at(-1) ?? {}
      assert.equal([event, data?.code, data?.status], ['error', 'conflict', 409])
    } else await refused(response, 409, /was cancelled/)
    assert.is((await jsonOf(await host.send(`/uploads/${id}`))).state, 'cancelled')
    assert.equal(await entriesBelow(join(host.dataDir, 'store', 'uploads')), [`${id}.status`])
    assert.equal(await sessionsIn(host.dataDir), [])
  }
})

test('a preparation that runs on another machine is seen and cancelled', async () => {
  const { gate, machine } = encoding()
  const there = await start({}, { machine })
  const here = await start({}, { machine: () => ({ store: there.store as ObjectStore }) })
  const id = await uploaded(here, clips.talking)
  const running = prepareUpload(there, id)
  await until('the encoder is reached', () => gate.waiting() === 1)
  await until('it has a stage', async () => (await progressOf(here, id))?.stage !== undefined)
  assert.is((await here.send(`/uploads/${id}`, { method: 'DELETE' })).status, 200)
  gate.open()
  await refused(running, 409, /was cancelled/)
})

test('a cancel that comes before the first sign of the preparation reaches it', async () => {
  const { gate, machine } = encoding()
  const sign = createDeferred()
  const late = (store: ObjectStore): ObjectStore => ({
    ...store,
    async putBytes(key, bytes, options) {
      if (new TextDecoder().decode(bytes).includes('"preparing"')) await sign.promise
      return store.putBytes(key, bytes, options)
    },
  })
  const host = await start({}, { machine: (built) => ({ ...machine(built), store: late(built.store) }) })
  const id = await uploaded(host, clips.talking)
  const running = prepareUpload(host, id)
  await until('the encoder is reached', () => gate.waiting() === 1)
  assert.is((await host.send(`/uploads/${id}`, { method: 'DELETE' })).status, 200)
  sign.resolve()
  gate.open()
  await refused(running, 409, /was cancelled/)
  assert.equal(await sessionsIn(host.dataDir), [])
})

test('an upload whose process was killed can be cancelled half a minute later', async () => {
  const host = await start()
  const id = await uploaded(host, clips.gif, 'image/gif')
  const status = { updated_at: Math.floor(Date.now() / 1000), state: 'preparing' }
  const put = (name: string, content: string) =>
    host.store.putBytes(`uploads/${id}.${name}`, text(content), { contentType: 'text/plain' })
  await put('claim', 'someone')
  await put('status', JSON.stringify(status))
  assert.is((await jsonOf(await host.send(`/uploads/${id}`))).state, 'preparing')
  host.wait(31_000)
  assert.is((await host.send(`/uploads/${id}`, { method: 'DELETE' })).status, 200)
  assert.equal(await entriesBelow(join(host.dataDir, 'store', 'uploads')), [`${id}.status`])
  host.wait(3_600_000)
  await refused(host.send(`/uploads/${id}`), 404)
})

test('a file that arrives slowly is shown, and can be cancelled', async () => {
  const host = await start()
  const answer = await postJson(host, '/uploads', { size: 1_000_000, content_type: 'video/mp4' })
  const { upload_id } = await jsonOf<{ upload_id: string }>(answer)
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(250_000)),
  })
  const sending = host.send(`/uploads/${upload_id}`, streamed('PUT', body, { 'Content-Type': 'video/mp4' }))
  const received = async () => (await progressOf(host, upload_id))?.received_bytes
  await until('a part has arrived', async () => (await received()) === 250_000)
  assert.is((await jsonOf(await host.send(`/uploads/${upload_id}`))).state, 'receiving')
  assert.is((await host.send(`/uploads/${upload_id}`, { method: 'DELETE' })).status, 200)
  await refused(sending, 409, /was cancelled/)
  assert.equal(await entriesBelow(join(host.dataDir, 'store', 'uploads')), [`${upload_id}.status`])
})

test('a photo in one go whose client leaves, and one that fails, leave nothing', async () => {
  const { gate, machine } = encoding()
  const host = await start({}, { machine })
  const leaver = new AbortController()
  const range = { range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
  const form = formOf(clips.talking, 'file', range)
  const leaving = post(host, '/motion-photo', form, { signal: leaver.signal })
  await until('the encoder is reached', () => gate.waiting() === 1)
  leaver.abort('Client connection prematurely closed.')
  gate.open()
  await leaving.catch(() => undefined)
  const id = await uploaded(host, clips.silent.subarray(0, 3000))
  await refused(postJson(host, '/motion-photo', { upload_id: id, ...range }), 400)
  assert.equal(await sessionsIn(host.dataDir), [])
})

type Progress = { readonly stage?: string; readonly place?: number; readonly received_bytes?: number }

async function progressOf(host: DirectHost, id: string): Promise<Progress | undefined> {
  const { progress } = await jsonOf<{ progress?: Progress }>(await host.send(`/uploads/${id}`))
  return progress
}

test.run()
