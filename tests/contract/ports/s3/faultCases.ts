import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3ObjectStore } from '@lantern-room/adapters/objectStore/s3'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { type Fault, type FaultyProxy, startFaultyProxy } from '#support/store/faultyProxy'
import { keysIn } from '#support/store/keysIn'
import type { S3 } from '#support/store/s3'
import { noise, text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { bytesOf, present, refusal } from '../expected'
import { entriesBelow } from '../leaks'
import { emptied, type OpenStore, openStore } from './openStore'

const contentType = 'application/octet-stream'
const MEBIBYTE = 1024 * 1024
/** For tests of what is silent for ever; a working store answers within a tenth of it on a busy machine, too. */
const patience = { attempts: 4, connectMs: 10_000, silenceMs: 2000, workMs: 4000 }
/** For all others: what is late there is not lost. */
const longPatience = { attempts: 4, connectMs: 30_000, silenceMs: 30_000, workMs: 60_000 }

/** What the adapter makes of a network and a server that fail. */
export function faultCases(s3: () => S3): void {
  const test = suite('the S3 object store behind a faulty network', { timeoutMs: 60_000 })
  let proxy: FaultyProxy
  let direct: OpenStore
  let under: OpenStore
  /** With little patience. */
  let hasty: OpenStore
  /** Waits as long as it takes: an upload that was begun and given up would be left to the bucket's rule. */
  let calm: OpenStore
  let store: S3ObjectStore
  let scratch: string

  test.before.each(async () => {
    scratch = await makeTempFolder('faults')
    proxy = await startFaultyProxy(s3().endpoint)
    direct = await openStore(s3())
    const behind = { endpoint: proxy.url, prefix: direct.prefix }
    under = await openStore(s3(), { ...behind, patience: longPatience })
    hasty = await openStore(s3(), { ...behind, patience })
    calm = await openStore(s3(), { ...behind, partBytes: 5 * MEBIBYTE })
    store = under.store
  })
  test.after.each(async () => {
    proxy.inject(() => undefined)
    const leaks = [...(await under.remains()), ...(await hasty.remains())]
    for (const open of await emptied(() => (proxy.open() > 0 ? [proxy.open()] : [])))
      leaks.push(`${open} requests`)
    await under.close()
    await hasty.close()
    await calm.close()
    await direct.close()
    await proxy.stop()
    await removeFolders(scratch)
    assert.equal(leaks, [])
  })

  const firstTimes = (times: number, fault: Fault) =>
    proxy.inject(({ count }) => (count <= times ? fault : undefined))
  const always = (fault: Fault) => proxy.inject(() => fault)
  const putDirectly = (key: string, bytes: Uint8Array) => direct.store.putBytes(key, bytes, { contentType })

  /** Each method of the port that sends one request, with what shows that it worked. */
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    get: async () => equalBytes(present(await store.get('there')), text('there')),
    head: async () => assert.is((await store.head('there'))?.size, 5),
    'an absent head': async () => assert.is(await store.head('none'), undefined),
    'an absent get': async () => assert.is(await store.get('none'), undefined),
    list: async () => assert.ok((await keysIn(store)).includes('there')),
    async putBytes() {
      await store.putBytes('new', noise(70_000), { contentType })
      equalBytes(present(await direct.store.get('new')), noise(70_000))
    },
    async createBytes() {
      assert.is(await store.createBytes('created', text('x'), { contentType }), true)
      await direct.store.delete(['created'])
    },
    async copy() {
      assert.is(await store.copy('there', 'second', { contentType }), true)
      equalBytes(present(await direct.store.get('second')), text('there'))
    },
    async delete() {
      await store.delete(['there'])
      assert.is(await direct.store.head('there'), undefined)
      await putDirectly('there', text('there'))
    },
    async checkOut() {
      const file = present(await store.checkOut('there'))
      equalBytes(await readFile(file.path), text('there'))
      await file.release()
    },
  }

  for (const fault of [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 500 },
    { kind: 'reset' },
    { kind: 'lost' },
  ] as const)
    test(`every operation works although it fails twice (${nameOf(fault)})`, async () => {
      await putDirectly('there', text('there'))
      for (const [name, work] of Object.entries(operations)) {
        firstTimes(2, fault)
        await work().catch((cause) => {
          throw new Error(`${name} failed`, { cause })
        })
        assert.ok(proxy.passed.length >= 3, name)
      }
    })

  test('of an answer that comes too late the next one takes the place', async () => {
    store = hasty.store
    await putDirectly('there', text('there'))
    for (const work of Object.values(operations)) {
      firstTimes(1, { kind: 'silence' })
      await work()
    }
  })

  test('what fails for good is told once, after four tries, and in words for a client', async () => {
    store = hasty.store
    await putDirectly('there', text('there'))
    for (const [fault, code] of [
      [{ kind: 'status', status: 503 }, 'unavailable'],
      [{ kind: 'status', status: 500 }, 'unavailable'],
      [{ kind: 'reset' }, 'unavailable'],
      [{ kind: 'silence' }, 'timeout'],
    ] as const) {
      always(fault)
      const asked = [
        () => store.get('there'),
        () => store.open('there', { start: 1, end: 2 }),
        () => store.head('there'),
        () => keysIn(store),
        () => store.putBytes('new', text('x'), { contentType }),
        () => store.createBytes('new', text('x'), { contentType }),
        () => store.copy('there', 'new', { contentType }),
        () => store.delete(['there']),
        () => store.checkOut('there'),
        () => store.check(),
      ]
      await Promise.all(asked.map((work) => refusal(work(), code))).catch((cause) => {
        throw new Error(nameOf(fault), { cause })
      })
      assert.ok(proxy.passed.length <= patience.attempts * asked.length, `${proxy.passed.length} requests`)
    }
    assert.is(await direct.store.head('new'), undefined)
  })

  test('a body that is cut again and again comes whole, each byte once', async () => {
    const bytes = noise(3_000_000)
    await putDirectly('film', bytes)
    const cuts = [0, 1, 700_000, 65_536, 1_000_000]
    const cutting = () =>
      proxy.inject(({ count }) => {
        const after = cuts[count - 1]
        return after === undefined ? undefined : { kind: 'cut', after }
      })
    cutting()
    equalBytes(present(await store.get('film')), bytes)
    assert.is(proxy.passed.length, 6)
    cutting()
    const { body } = present(await store.open('film', { start: 100_000, end: 2_900_000 }))
    equalBytes(await bytesOf(body), bytes.subarray(100_000, 2_900_001))
    cutting()
    const file = present(await store.checkOut('film'))
    equalBytes(await readFile(file.path), bytes)
    await file.release()
  })

  test('the rest of a body that stalls is asked for, and of one whose reader pauses', async () => {
    store = hasty.store
    const bytes = noise(3_000_000)
    await putDirectly('film', bytes)
    firstTimes(2, { kind: 'stall', after: 500_000 })
    equalBytes(present(await store.get('film')), bytes)
    assert.is(proxy.passed.length, 3)

    firstTimes(0, { kind: 'reset' })
    const reader = present(await store.open('film')).body.getReader()
    const chunks: Uint8Array[] = []
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      chunks.push(chunk.value)
      if (chunks.length === 1 || chunks.length === 10) await sleep(2 * patience.silenceMs)
    }
    equalBytes(Uint8Array.from(Buffer.concat(chunks)), bytes)
    assert.is(proxy.passed.length, 3)
  })

  test('a body that never comes is an error after some tries, and leaves no part of a file', async () => {
    store = hasty.store
    await putDirectly('film', noise(1_000_000))
    for (const [fault, code] of [
      [{ kind: 'cut', after: 0 }, 'unavailable'],
      [{ kind: 'stall', after: 0 }, 'timeout'],
    ] as const) {
      always(fault)
      await refusal(store.get('film'), code)
      await refusal(store.checkOut('film'), code)
      const { body } = present(await store.open('film'))
      await refusal(bytesOf(body), code)
    }
    assert.equal(await entriesBelow(join(hasty.folder, 'checked-out')), [])
  })

  test('the end of another object is never put behind the beginning of one', async () => {
    for (const change of [
      () => putDirectly('film', noise(1_000_001)),
      () => putDirectly('film', noise(1_000_000).reverse()),
      () => direct.store.delete(['film']),
    ]) {
      await putDirectly('film', noise(1_000_000))
      firstTimes(1, { kind: 'cut', after: 300_000 })
      const { body } = present(await store.open('film'))
      await change()
      await refusal(bytesOf(body), 'unavailable')
    }
  })

  test('a body is cancelled at once while it stalls', async () => {
    await putDirectly('film', noise(1_000_000))
    always({ kind: 'stall', after: 100_000 })
    const reader = present(await store.open('film')).body.getReader()
    const reading = (async () => {
      while (!(await reader.read()).done);
    })()
    await sleep(50)
    await reader.cancel()
    await reading
    assert.is(proxy.passed.length, 1)
  })

  test('who creates is told the truth although the answer got lost', async () => {
    firstTimes(1, { kind: 'lost' })
    assert.is(await store.createBytes('mine', text('mine'), { contentType }), true)
    await putDirectly('taken', text('mine'))
    firstTimes(1, { kind: 'lost' })
    assert.is(await store.createBytes('taken', text('mine'), { contentType }), false)
  })

  test('a large file is stored whole although parts fail, get lost, and the last answer too', async () => {
    const bytes = noise(12 * MEBIBYTE)
    const path = join(scratch, 'film')
    for (const fault of [
      { kind: 'reset' },
      { kind: 'status', status: 503 },
      { kind: 'lost' },
    ] satisfies Fault[]) {
      await writeFile(path, bytes)
      const seen = new Set<string>()
      proxy.inject(({ method, path: at }) => {
        const request = `${method} ${at}`
        if (seen.has(request)) return undefined
        seen.add(request)
        // It would be begun twice, and the first never heard of.
        return fault.kind === 'lost' && at.includes('uploads') ? undefined : fault
      })
      await calm.store.putFile('film', path, { contentType, consume: true })
      equalBytes(present(await direct.store.get('film')), bytes)
      assert.is(await stat(path).catch(() => 'gone'), 'gone')
      assert.equal(await calm.remains(), [])
    }
  })

  test('a large file whose parts cannot be stored leaves the old object, the file, and no parts', async () => {
    const path = join(scratch, 'film')
    await writeFile(path, noise(17 * MEBIBYTE))
    await putDirectly('film', text('old'))
    for (const isBroken of [
      ({ path: at }: { path: string }) => at.includes('partNumber=2'),
      ({ path: at }: { path: string }) => at.includes('partNumber=4'),
      ({ method, path: at }: { method: string; path: string }) =>
        method === 'POST' && at.includes('uploadId='),
    ]) {
      proxy.inject((passing) => (isBroken(passing) ? { kind: 'status', status: 503 } : undefined))
      await refusal(calm.store.putFile('film', path, { contentType, consume: true }), 'unavailable')
      equalBytes(present(await direct.store.get('film')), text('old'))
      assert.is((await stat(path)).size, 17 * MEBIBYTE)
      assert.equal(await calm.remains(), [])
    }
  })
  test.run()
}

function nameOf(fault: Fault): string {
  return fault.kind === 'status' ? String(fault.status) : fault.kind
}
